import { createHmac } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { retryAfter } from '../client/retry.ts';
import type { Route } from '../client/route.ts';
import { TransportError, toTransportError } from '../client/transport-error.ts';
import { Failure, messageOf } from '../lib/errors.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { version } from '../lib/version.ts';
import type { Secret } from '../secrets/secret.ts';
import { digestName, type Hook, type HookContext, hookLabel } from './hook.ts';
import type { WebhookAddress } from './webhook-address.ts';

/** The time limit of one attempt, in milliseconds. */
const attemptMs = 10_000;

/** Milliseconds before the second attempt and before the third. */
const pausesMs = [2000, 8000];

/** The longest wait that a receiver may ask for, in milliseconds; the next change of the device waits too. */
const maxRetryAfterMs = 30_000;

/** The maximum bytes of a response's body that are read, so that its connection can be reused. */
const maxBodyBytes = 64 * 1024;

/** Options of a webhook. */
export interface WebhookOptions {
  /** A digest of the address if not given. */
  readonly name: string | undefined;
  /** Signs each request; undefined for none. */
  readonly secret: Secret | undefined;
  /** PEM file of certificates to trust beside the usual ones. */
  readonly caFile: string | undefined;
}

/** The part of a response that decides about a retry. */
interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Returns the hook that posts each change to an address, three times at most. */
export function webhook(address: WebhookAddress, options: WebhookOptions, context: HookContext): Hook {
  const { origin, host, path } = address;
  const { clock, io } = context;
  let route: Promise<Route> | undefined;
  const opened = (): Promise<Route> => {
    // undici takes 30 ms to load.
    route ??= import('../client/route.ts').then(({ openRoute }) =>
      openRoute(origin, { env: io.env, caFile: options.caFile, requestTimeout: attemptMs }),
    );
    return route;
  };
  const attempt = async (id: string, body: string, signal: AbortSignal): Promise<PostResponse> => {
    const limit = clock.deadline(attemptMs, signal);
    try {
      const headers = {
        'content-type': 'application/json',
        'user-agent': `botctl/${version}`,
        'botctl-delivery': id,
        ...(options.secret && { 'botctl-signature': signatureOf(body, options.secret, clock.now()) }),
      };
      return await post(await opened(), { origin, path: path.reveal(), headers, body }, limit.signal);
    } catch (error) {
      if (!limit.isOver) throw error;
      throw new TransportError('timeout', `no answer within ${attemptMs / 1000} s`, true);
    } finally {
      limit.clear();
    }
  };
  return {
    kind: 'webhook',
    name: options.name ?? digestName('webhook', [origin, path.reveal()]),
    label: hookLabel(options.name, host, context),
    async deliver({ id, body }, signal) {
      for (let attempts = 1; ; attempts += 1) {
        const result = await attempt(id, body, signal).catch((error: unknown) => ({ error }));
        if (signal.aborted) return 'the watch ended before it had an answer';
        const problem = problemOf(result);
        if (problem === undefined) return undefined;
        const pauseMs = pausesMs[attempts - 1];
        if (pauseMs === undefined || !isTransient(result))
          return attempts === 1 ? problem : `${problem} (${attempts} attempts)`;
        const asked = 'status' in result ? (retryAfter(result.retryAfter, clock.now()) ?? 0) : 0;
        try {
          await clock.sleep(Math.max(pauseMs, Math.min(asked, maxRetryAfterMs)), signal);
        } catch {
          return `${problem}, and the watch ended`;
        }
      }
    },
    async close() {
      const open = await route?.catch(() => undefined);
      await open?.dispatcher.destroy();
    },
  };
}

/**
 * Posts a body. Returns the status as soon as it arrives. Discards the body of the response, and doesn't follow
 * redirects.
 * @param signal aborts the request, and the reading of the response's body
 * @throws TransportError; the reason of the signal
 */
async function post(
  { dispatcher, proxy }: Route,
  request: Pick<Dispatcher.RequestOptions, 'origin' | 'path' | 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<PostResponse> {
  try {
    const { statusCode, headers, body } = await dispatcher.request({ ...request, method: 'POST', signal });
    void body.dump({ limit: maxBodyBytes }).catch(() => undefined);
    const after = headers['retry-after'];
    return { status: statusCode, retryAfter: typeof after === 'string' ? after : undefined };
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Error ? toTransportError(error, true, proxy) : error;
  }
}

/**
 * Returns the header by which a receiver verifies the sender of a body, and that the body is not a replay: HMAC-SHA256
 * of `timestamp.body` in hexadecimal.
 * @param now milliseconds since 1970
 */
function signatureOf(body: string, secret: Secret, now: number): string {
  const timestamp = Math.floor(now / 1000);
  const digest = createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}

type Result = PostResponse | { readonly error: unknown };

/** Returns the problem as a clause, or undefined for a success. System errors name at most the host. */
function problemOf(result: Result): string | undefined {
  if ('error' in result) {
    const { error } = result;
    const isKnown = error instanceof TransportError || error instanceof Failure;
    return `it can't be reached: ${isKnown ? oneLine(messageOf(error), 200).replace(/\.$/, '') : 'the request failed'}`;
  }
  const { status } = result;
  if (status < 300) return undefined;
  return status < 400 ? `it answered ${status}, a redirect, which is not followed` : `it answered ${status}`;
}

/** True if another attempt may succeed. */
function isTransient(result: Result): boolean {
  if ('status' in result) return result.status === 429 || result.status >= 500;
  const { error } = result;
  // A retry doesn't help with an untrusted certificate.
  return error instanceof TransportError && error.reason !== 'tls';
}
