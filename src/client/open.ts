import { endpoints } from '../contract/endpoints.ts';
import type { Clock } from '../lib/clock.ts';
import type { Failure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { isObject } from '../lib/json-object.ts';
import { Redactor } from '../secrets/redactor.ts';
import { checkTransport } from '../settings/base-url.ts';
import type { NamedResource } from '../settings/completion-cache.ts';
import { largestPage, type PagingMember } from '../settings/list-query.ts';
import type { Identity } from '../settings/settings.ts';
import type { TokenCache } from '../settings/token-cache.ts';
import { type ExchangedToken, openTokens } from './access-token.ts';
import type { Api } from './api.ts';
import { type ClientContext, call, failedCall, send } from './call.ts';
import { readPages } from './pages.ts';
import { proxyPasswords } from './proxy.ts';
import { callRaw, endpointAt } from './raw.ts';
import { rawRows } from './raw-rows.ts';
import { buildRequest } from './request.ts';
import { ServiceClock } from './service-clock.ts';
import { openTransport } from './transport.ts';
import { missingTokenFailure } from './words/call-failure.ts';

/** The identity and the settings for calling the API. */
export interface OpenOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly tokens: TokenCache;
  /** Read for the proxy variables. */
  readonly env: Io['env'];
  /** Aborts every call, except those in flight that may take effect. */
  readonly signal: AbortSignal;
  /** If aborted after `signal`, ends those too, without further waiting for their responses. */
  readonly urgent?: AbortSignal | undefined;
  /** Milliseconds; 30 s if not set. */
  readonly requestTimeout?: number | undefined;
  /** Retries after the first attempt; 3 if not set. */
  readonly retries?: number | undefined;
  /** Maximum requests started per second; no limit if not set. */
  readonly maxRps?: number | undefined;
  readonly caFile?: string | undefined;
  readonly insecureHttp?: boolean | undefined;
  /** Items per page if a list sets none; 100 if not set. */
  readonly pageSize?: number | undefined;
  /** The number of the first page at the service; 1 if not set. */
  readonly firstPage?: number | undefined;
  /** The service's names of the query's members, if they differ from the contract's. */
  readonly queryNames?: Readonly<Record<string, string>> | undefined;
  /** Paging parameters that are not sent with lists; none if not set. */
  readonly unsent?: readonly PagingMember[] | undefined;
  /** Milliseconds that a call which may take effect may continue after a signal ends the command; 3 s if not set. */
  readonly graceMs?: number | undefined;
  /** Called just before each request is sent, once its connection is open. If it throws, the request is not sent. */
  readonly onSend?: (() => void) | undefined;
  /** Called with hints for the user beside the result. */
  onNote(text: string): void;
  /** Called for waits longer than a second, with the remaining milliseconds; `onNote` if not set. */
  readonly onWait?: ((text: string, restMs: number) => void) | undefined;
  /** Called for every request, response and retry, with secrets masked. */
  readonly onDebug?: ((text: string) => void) | undefined;
  /** Called for each object that a response names, for completion. */
  readonly onResource?: ((resource: NamedResource) => void) | undefined;
  /** Learns the secrets that the client handles, so that every output masks them. */
  readonly redactor?: Redactor | undefined;
}

const defaultTimeoutMs = 30_000;
const defaultRetries = 3;

const defaultGraceMs = 3000;

/**
 * Opens the API with an identity. No request is sent before the first call.
 * @throws Failure `invalidInput` if the secret would be sent over plain http
 */
export function openApi(options: OpenOptions): Api {
  const { identity, clock, signal, redactor = new Redactor() } = options;
  checkTransport(identity.baseUrl, options.insecureHttp ?? false);
  redactor.learn(identity.keySecret);
  for (const password of proxyPasswords(options.env)) redactor.learn(password);
  const requestTimeout = options.requestTimeout ?? defaultTimeoutMs;
  const graceMs = options.graceMs ?? defaultGraceMs;
  const transport = openTransport({
    env: options.env,
    caFile: options.caFile,
    insecureHttp: options.insecureHttp ?? false,
    requestTimeout,
    signal,
    onSend: options.onSend,
    async gracePeriod() {
      options.onNote(
        `Waiting up to ${graceMs / 1000} s for the response to the current call. Press Ctrl-C again to stop waiting.`,
      );
      await clock.sleep(graceMs, options.urgent).catch(() => undefined);
    },
  });
  const base = new URL(identity.baseUrl);
  const serviceClock = new ServiceClock(clock);
  const context: ClientContext = {
    transport,
    retry: {
      retries: options.retries ?? defaultRetries,
      host: base.host,
      clock,
      signal,
      onWait: options.onWait ?? options.onNote,
      onDebug: options.onDebug,
    },
    throttle: options.maxRps === undefined ? undefined : requestThrottle(options.maxRps, clock),
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
    onResource: options.onResource,
  };
  const tokens = openTokens({
    credential: identity,
    cache: options.tokens,
    clock,
    signal,
    exchange: () => exchangeKey(context),
    onSecret: (value) => redactor.learn(value),
  });
  const firstPage = options.firstPage ?? 1;
  const unsent = options.unsent ?? [];
  return {
    baseUrl: identity.baseUrl,
    call: (name, ...input) => call(context, tokens, name, ...input),
    pages: (name, input = {}) =>
      readPages(
        {
          pageSize: options.pageSize ?? largestPage,
          firstPage,
          unsent,
          identity,
          onNote: options.onNote,
          fetch: (query, own) => send(context, tokens, name, { query, ...(own && { signal: own }) }),
        },
        name,
        input,
      ),
    request: (request) => callRaw(context, tokens, request),
    rows: (path) =>
      rawRows(path, {
        names: { page: context.queryNames.page ?? 'page', limit: context.queryNames.limit ?? 'limit' },
        firstPage,
        sendsPage: !unsent.includes('page'),
        identity,
        pageSize:
          isPaged(context, path) && !unsent.includes('limit') ? (options.pageSize ?? largestPage) : undefined,
        call: (at) => callRaw(context, tokens, { method: 'GET', path: at }),
      }),
    accessToken: () => tokens.get(),
    clockAhead: () => serviceClock.ahead(),
    close: () => transport.close(),
  };
}

/**
 * Returns a function that waits until the next request may start. Requests are spaced evenly, at most `perSecond` per
 * second.
 */
function requestThrottle(perSecond: number, clock: Clock): (signal: AbortSignal) => Promise<void> {
  const gap = 1000 / perSecond;
  let next = 0;
  return async (signal) => {
    const now = clock.now();
    const mine = Math.max(now, next);
    next = mine + gap;
    if (mine > now) await clock.sleep(mine - now, signal);
  };
}

/** Returns true if a path is a list that accepts a page size. Larger pages need fewer calls. */
function isPaged(context: ClientContext, path: string): boolean {
  const query = endpointAt(context, 'GET', path)?.endpoint.query;
  return query !== undefined && 'limit' in query.shape;
}

/** Maximum characters of an access token; servers accept no longer headers. */
const maxTokenLength = 8192;

/** Characters allowed in a header (RFC 9110, 5.5), without spaces: a token contains none (RFC 6750, 2.1). */
const sendable = /^[\x21-\x7e]+$/;

/** Maximum plausible lifetime of a token. */
const maxLifetimeSeconds = 366 * 24 * 60 * 60;

/** Exchanges the key for a token. */
async function exchangeKey(context: ClientContext): Promise<ExchangedToken> {
  const { keyId, keySecret } = context.identity;
  const body = { key_id: keyId, key_secret: keySecret.reveal() };
  const { data } = await send(context, undefined, 'createToken', { body });
  const explained = (problem: string): Failure => {
    const call = failedCall(
      context,
      'createToken',
      buildRequest(context, endpoints.createToken, { body }),
      {},
    );
    return missingTokenFailure(problem, call);
  };
  if (!isObject(data) || typeof data.access_token !== 'string' || data.access_token === '') {
    throw explained('its answer holds no token');
  }
  const token = data.access_token;
  if (token.length > maxTokenLength || !sendable.test(token))
    throw explained("its token can't stand in a header of a request");
  const lasts = Number(data.expires_in);
  return { token, expiresIn: lasts > 0 ? Math.min(lasts, maxLifetimeSeconds) : undefined };
}
