import { setTimeout as wait } from 'node:timers/promises';
import type { SandboxClock } from '../clock.ts';
import { CallerGone } from '../http/answer.ts';
import { draining, type Interference, type OutgoingReply, type Wrapper } from '../http/exchange.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import { codeOf, effectText, type RetryAfter, retryAfterOf } from './fault.ts';
import type { Faults, MatchedFault } from './faults.ts';
import { type RateLimit, RequestPace } from './limits.ts';

/** Options of the interference layer. */
interface InterferenceOptions {
  readonly faults: Faults;
  readonly clock: Pick<SandboxClock, 'now'>;
  /** Per key; token calls share one limit, and all other calls without a valid token another. None if not given. */
  readonly rateLimit?: RateLimit | undefined;
  readonly wrap?: Wrapper | undefined;
  /** Milliseconds since 1970. */
  readonly machineTime: () => number;
}

/** Creates the layer between requests and the service that injects faults. */
export function createInterference(layer: InterferenceOptions): Interference {
  const { faults, clock, rateLimit, wrap, machineTime } = layer;
  const pace = rateLimit && new RequestPace(rateLimit, machineTime);
  return {
    async pass(exchange, inner, caller) {
      if (pace) {
        // Callers without a token must not prevent those with a key from getting one.
        const bucket = exchange.operation === 'createToken' ? 'token' : ((await caller.keyId()) ?? '');
        const tooSoon = pace.take(bucket);
        if (tooSoon > 0) {
          exchange.fault = 'rate limit';
          return { reply: rateLimitReply(pace.limit, tooSoon) };
        }
      }
      const serve = wrap ? () => wrap(exchange, inner) : inner;
      const fault = faults.match(exchange);
      if (!fault) return { reply: await serve() };
      exchange.fault = `${fault.id}: ${effectText(fault)}`;
      if (fault.delay !== undefined) await pause(fault.delay, caller.ended());
      return applyEffect(fault, serve, clock.now());
    },
  };
}

/**
 * Waits, unless the service ends.
 * @throws CallerGone if the caller disconnects first
 */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    if (signal.reason !== draining) throw new CallerGone();
  });
}

async function applyEffect(
  { id, effect }: MatchedFault,
  serve: () => Promise<Reply>,
  now: Date,
): Promise<OutgoingReply> {
  switch (effect?.kind) {
    case undefined:
      return { reply: await serve() };
    case 'status': {
      const { status, code = codeOf(status) } = effect;
      const error = `This answer is a fault of the sandbox (fault ${id}).`;
      return { reply: refusal({ status, code, error }, retryHeader(retryAfterOf(effect), now)) };
    }
    case 'body': {
      const { status, type, bytes } = effect;
      const headers = { 'content-type': type, ...retryHeader(retryAfterOf(effect), now) };
      return { reply: { status, headers, body: Buffer.from(bytes, 'base64') } };
    }
    case 'reset':
      if (effect.when === 'before') return { cut: 'before' };
      return { reply: await serve(), cut: 'before' };
    case 'truncate':
      return { reply: await serve(), cut: 'midway' };
  }
}

/**
 * Returns the response 429.
 * @param wait milliseconds until the next request may be made
 */
function rateLimitReply({ requests, per }: RateLimit, wait: number): Reply {
  const error = `The key has made more than ${requests} requests in a ${per}.`;
  const header = { 'retry-after': String(Math.ceil(wait / 1000)) };
  return refusal({ status: 429, code: codeOf(429), error }, header);
}

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

function refusal({ status, ...told }: Refused, more: Readonly<Record<string, string>>): Reply {
  const { headers, ...reply } = jsonReply(status, { success: false, ...told });
  return { ...reply, headers: { ...headers, ...more } };
}

function retryHeader(asked: RetryAfter, now: Date): Readonly<Record<string, string>> {
  if (asked === 'none') return {};
  if (asked !== 'date') return { 'retry-after': String(asked) };
  // HTTP dates have whole seconds (RFC 9110, 5.6.7); a whole second has to pass.
  const soon = new Date(Math.ceil(now.getTime() / 1000 + 1) * 1000);
  return { 'retry-after': soon.toUTCString() };
}
