import { retryAfter } from '../client/retry.ts';
import type { Route } from '../client/route.ts';
import { TransportError } from '../client/transport-error.ts';
import { Failure, messageOf } from '../lib/errors.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { version } from '../lib/version.ts';
import type { Secret } from '../secrets/secret.ts';
import { digestName, type Hook, type HookContext } from './hook.ts';
import { type PostResponse, post } from './post.ts';
import { signatureOf } from './signature.ts';
import type { WebhookAddress } from './webhook-address.ts';

/** Milliseconds of one attempt. */
const attemptMs = 10_000;

/** Milliseconds before the second attempt and before the third. */
const pausesMs = [2000, 8000];

/** A receiver may ask to wait so long; the next change of the device waits too. */
const maxAskedMs = 30_000;

/** Options of a webhook. */
export interface WebhookOptions {
  /** A digest of the address if not given. */
  readonly name: string | undefined;
  /** Signs each request; undefined for none. */
  readonly secret: Secret | undefined;
  /** PEM file of certificates to trust beside the usual ones. */
  readonly caFile: string | undefined;
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
    shown: host,
    async deliver({ id, body }, signal) {
      for (let attempts = 1; ; attempts += 1) {
        const result = await attempt(id, body, signal).catch((error: unknown) => ({ error }));
        if (signal.aborted) return 'the watch ended before it had an answer';
        const problem = problemOf(result);
        if (problem === undefined) return undefined;
        const pauseMs = pausesMs[attempts - 1];
        if (pauseMs === undefined || !mayPass(result))
          return attempts === 1 ? problem : `${problem} (${attempts} attempts)`;
        const asked = 'status' in result ? (retryAfter(result.retryAfter, clock.now()) ?? 0) : 0;
        try {
          await clock.sleep(Math.max(pauseMs, Math.min(asked, maxAskedMs)), signal);
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

type Result = PostResponse | { readonly error: unknown };

/** Returns the problem as a clause, or undefined for a success. Messages of the system name no more than the host. */
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
function mayPass(result: Result): boolean {
  if ('status' in result) return result.status === 429 || result.status >= 500;
  const { error } = result;
  // A certificate that is not trusted stays so.
  return error instanceof TransportError && error.reason !== 'tls';
}
