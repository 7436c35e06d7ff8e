import { Failure } from '../errors.ts';
import type { Clock, Io } from '../io.ts';
import { isObject } from '../json-object.ts';
import { checkTransport } from '../settings/base-url.ts';
import type { Sighting } from '../settings/names.ts';
import { largestPage } from '../settings/profile-settings.ts';
import type { Identity } from '../settings/settings.ts';
import type { TokenCache } from '../settings/tokens.ts';
import type { Api } from './api.ts';
import { call, type Line, send } from './call.ts';
import { addressHint } from './errors.ts';
import { readPages } from './pages.ts';
import { proxyPasswords } from './proxy.ts';
import { requestTurns } from './rate.ts';
import { callRaw, endpointAt } from './raw.ts';
import { rawRows } from './raw-rows.ts';
import { Redactor } from './redact.ts';
import { ServiceClock } from './service-clock.ts';
import { type ExchangedToken, openTokens } from './token.ts';
import { openTransport } from './transport.ts';

/** With whom, and how, the API is called. */
export interface OpenOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly tokens: TokenCache;
  /** For the proxy variables. */
  readonly env: Io['env'];
  /** Ends every call when aborted. */
  readonly signal: AbortSignal;
  /** Milliseconds; 30 s where not given. */
  readonly requestTimeout?: number | undefined;
  /** Repetitions after the first attempt; 3 where not given. */
  readonly retries?: number | undefined;
  /** Requests that may begin in a second; no limit where not given. */
  readonly maxRps?: number | undefined;
  readonly caFile?: string | undefined;
  readonly insecureHttp?: boolean | undefined;
  /** Items per page where a list doesn't say; 100 where not given. */
  readonly pageSize?: number | undefined;
  /** What the service calls the query's members, where that differs from the contract. */
  readonly queryNames?: Readonly<Record<string, string>> | undefined;
  /** Is told what a person should know beside the result. */
  onNote(text: string): void;
  /** Is told of waits longer than a second; `onNote` where not given. */
  readonly onWait?: ((text: string) => void) | undefined;
  /** Is told of every request, answer and retry, secrets masked. */
  readonly onDebug?: ((text: string) => void) | undefined;
  /** Is told of the things that answers name, for completion. */
  readonly onSighting?: ((sighting: Sighting) => void) | undefined;
  /** Learns the secrets that the client handles, so that they can be kept out of every output. */
  readonly redactor?: Redactor | undefined;
  /** Gives a number from 0 to 1, 1 excluded, for jitter. */
  readonly random?: (() => number) | undefined;
}

const defaultTimeout = 30_000;
const defaultRetries = 3;

/**
 * Opens the API with an identity. Nothing is sent before the first call.
 * @throws Failure `usage` where the secret would travel over plain http
 */
export function openApi(options: OpenOptions): Api {
  const { identity, clock, signal, random = Math.random, redactor = new Redactor() } = options;
  checkTransport(identity.baseUrl, options.insecureHttp ?? false);
  redactor.learn(identity.keySecret);
  for (const password of proxyPasswords(options.env)) redactor.learn(password);
  const requestTimeout = options.requestTimeout ?? defaultTimeout;
  const transport = openTransport({
    env: options.env,
    caFile: options.caFile,
    insecureHttp: options.insecureHttp ?? false,
    requestTimeout,
    signal,
  });
  const base = new URL(identity.baseUrl);
  const serviceClock = new ServiceClock(clock);
  const turn = requestTurns(options.maxRps, clock);
  const line: Line = {
    transport,
    retry: {
      retries: options.retries ?? defaultRetries,
      host: base.host,
      clock,
      signal,
      random,
      onWait: options.onWait ?? options.onNote,
      onDebug: options.onDebug,
    },
    turn: (own) => turn(own ?? signal),
    identity,
    baseUrl: identity.baseUrl,
    origin: base.origin,
    prefix: base.pathname.replace(/\/+$/, ''),
    requestTimeout,
    caFile: options.caFile,
    redactor,
    serviceClock,
    queryNames: options.queryNames ?? {},
    onDebug: options.onDebug,
    onSighting: options.onSighting,
  };
  const tokens = openTokens({
    credential: identity,
    cache: options.tokens,
    clock,
    signal,
    random,
    exchange: () => exchangeKey(line),
    onSecret: (value) => redactor.learn(value),
  });
  return {
    baseUrl: identity.baseUrl,
    call: (name, ...input) => call(line, tokens, name, ...input),
    pages: (name, input = {}) =>
      readPages(
        {
          pageSize: options.pageSize ?? largestPage,
          onNote: options.onNote,
          fetch: (query, own) => send(line, tokens, name, { query, ...(own && { signal: own }) }),
        },
        name,
        input,
      ),
    request: (request) => callRaw(line, tokens, request),
    rows: (path) =>
      rawRows(path, {
        names: { page: line.queryNames.page ?? 'page', limit: line.queryNames.limit ?? 'limit' },
        pageSize: isPaged(line, path) ? (options.pageSize ?? largestPage) : undefined,
        call: (at) => callRaw(line, tokens, { method: 'GET', path: at }),
      }),
    accessToken: () => tokens.get(),
    clockAhead: () => serviceClock.ahead(),
    close: () => transport.close(),
  };
}

/** Whether a path leads to a list that takes a page size. Longer pages make fewer calls. */
function isPaged(line: Line, path: string): boolean {
  const query = endpointAt(line, 'GET', path)?.endpoint.query;
  return query !== undefined && 'limit' in query.shape;
}

/** Exchanges the key for a token. */
async function exchangeKey(line: Line): Promise<ExchangedToken> {
  const { keyId, keySecret } = line.identity;
  const body = { key_id: keyId, key_secret: keySecret.reveal() };
  const { data } = await send(line, undefined, 'createToken', { body });
  if (!isObject(data) || typeof data.access_token !== 'string' || data.access_token === '') {
    throw new Failure('network', `${line.baseUrl} accepted the API key, and its answer holds no token.`, {
      hint: addressHint(line.identity),
    });
  }
  const lasts = Number(data.expires_in);
  return { token: data.access_token, expiresIn: lasts > 0 ? lasts : undefined };
}
