import { ServiceError } from '../../client/answer.ts';
import { retryAfter } from '../../client/retry.ts';
import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/errors.ts';
import { shortDuration } from '../../lib/time.ts';

/** The pause between two reads of a state that may change at any moment. */
export const shortPauseMs = 500;

/** After the first of several consecutive failures; doubled each time. */
const firstBackoffMs = 2000;
const maxBackoffMs = 16_000;

/** A pause is longer by up to this factor, so that many clients don't return at once. */
const jitter = 0.2;

/** How long the service may ask to wait beyond the timeout, if no limit is given. */
const maxAskedPauseMs = 120_000;

/** The number of consecutive reads, over about 15 s, that may fail to find an object that was found before. */
export const maxMissing = 3;

/** The minimum time for a read, even if less remains. */
const minReadMs = 1000;

/** Returns whether a repeated call may succeed. */
export function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && (error.kind === 'network' || error.kind === 'rateLimited');
}

/** Returns the milliseconds that the service asked to wait; 0 if it didn't. */
export function pauseAskedBy({ cause }: Failure, now: number): number {
  return cause instanceof ServiceError ? (retryAfter(cause.detail.retryAfter, now) ?? 0) : 0;
}

/** Returns the milliseconds to wait after a number of consecutive failures: as the service asks, or longer each time. */
export function pauseAfterFailure(failure: Failure, failures: number, now: number): number {
  return Math.max(pauseAskedBy(failure, now), Math.min(firstBackoffMs * 2 ** (failures - 1), maxBackoffMs));
}

/** Returns a pause with a random extension. */
export function withJitter(pauseMs: number, clock: Pick<Clock, 'random'>): number {
  return Math.round(pauseMs * (1 + jitter * clock.random()));
}

/** The result of a read. */
export type PollResult<T> =
  | { readonly value: T }
  /** `isCutOff`: the time was up before the read succeeded or failed for good. */
  | { readonly failure: Failure; readonly isCutOff: boolean };

/** Options for polling. */
export interface PollOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Infinity for no limit. Waits that the service asks for don't count, up to the limit. */
  readonly timeoutMs: number;
  /** The limit including waits that the service asks for; `timeoutMs` if not given. */
  readonly limitMs?: number | undefined;
  /** The pause after a successful read. */
  readonly pauseMs?: () => number;
  /** The minimum pause, also after a failure. */
  readonly minPauseMs?: () => number;
  /** True if pauses after successful reads are exact. */
  readonly isExact?: boolean;
  /** The minimum time for the first read, even if the timeout is shorter. */
  readonly firstReadMs?: number;
  /** Returns whether reading goes on after a failure; `isPassing` if not given. */
  mayPass?(failure: Failure): boolean;
  /** True if the object was read before: then a read that does not find it is repeated. */
  readonly hasAnswered?: boolean | undefined;
}

/**
 * Reads until the time is up, the last time at its end. A caller may leave the loop earlier. Pauses grow while reads
 * fail, and last as long as the service asks.
 * @throws Failure if a read fails for good; the reason of the signal if it is aborted
 */
export async function* poll<T>(
  read: (signal: AbortSignal) => Promise<T>,
  options: PollOptions,
): AsyncGenerator<PollResult<T>, void> {
  const { clock, signal, timeoutMs, limitMs = timeoutMs, firstReadMs = 0 } = options;
  const { hasAnswered = false, mayPass = isPassing } = options;
  const begun = clock.now();
  let end = begun + Math.min(timeoutMs, limitMs);
  /** The number of further reads that may fail to find it. */
  let chances = hasAnswered ? maxMissing : 0;
  const mayGoOn = (failure: Failure): boolean =>
    mayPass(failure) || (failure.kind === 'notFound' && chances > 0);
  for (let reads = 0, failures = 0; ; reads += 1) {
    const isLast = clock.now() >= end;
    // Not limited by the timeout: the client waits by itself if the service asks for it.
    const left = Math.max(minReadMs, reads === 0 ? firstReadMs : 0, begun + limitMs - clock.now());
    const result = await readWithin(left, read, { clock, signal, mayPass: mayGoOn });
    yield result;
    if (isLast || ('failure' in result && result.isCutOff)) return;
    let pauseMs = shortPauseMs;
    let askedMs = 0;
    if ('failure' in result) {
      failures += 1;
      if (result.failure.kind === 'notFound') chances -= 1;
      askedMs = pauseAskedBy(result.failure, clock.now());
      pauseMs = pauseAfterFailure(result.failure, failures, clock.now());
      end = Math.min(end + askedMs, begun + limitMs);
    } else {
      failures = 0;
      chances = maxMissing;
      if (options.pauseMs) pauseMs = options.pauseMs();
    }
    const heldUntil = clock.now() + askedMs;
    const longer = Math.max(pauseMs, options.minPauseMs?.() ?? 0);
    const pause = options.isExact && 'value' in result ? longer : withJitter(longer, clock);
    await clock.sleep(Math.min(pause, Math.max(0, end - clock.now())), signal);
    // The service asked for no request before that moment.
    if (clock.now() < heldUntil) return;
  }
}

/** Limits a read: a response that hangs doesn't prolong the time. */
async function readWithin<T>(
  timeMs: number,
  read: (signal: AbortSignal) => Promise<T>,
  { clock, signal, mayPass }: Pick<PollOptions, 'clock' | 'signal'> & Required<Pick<PollOptions, 'mayPass'>>,
): Promise<PollResult<T>> {
  const deadline = clock.deadline(timeMs, signal);
  try {
    return { value: await read(deadline.signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.isOver) {
      const message = `The service did not answer within ${shortDuration(timeMs)}.`;
      const silence = new Failure('network', message, { hint: 'Try again in a minute.' });
      return { failure: isPassing(error) ? error : silence, isCutOff: true };
    }
    if (!(error instanceof Failure) || !mayPass(error)) throw error;
    return { failure: error, isCutOff: false };
  } finally {
    deadline.clear();
  }
}

/**
 * Reads until a condition holds, or the time is up. Returns the last value.
 * @throws Failure if a read fails for good, if the last one failed, or if the service asks to wait beyond the limit;
 * the reason of the signal if it is aborted
 */
export async function pollUntil<T>(
  read: (signal: AbortSignal) => Promise<T>,
  isDone: (value: T) => boolean | Promise<boolean>,
  options: PollOptions,
): Promise<T> {
  const { clock, timeoutMs, limitMs = timeoutMs + maxAskedPauseMs } = options;
  const lastMoment = clock.now() + limitMs;
  let last: PollResult<T> | undefined;
  for await (const result of poll(read, { ...options, limitMs })) {
    last = result;
    if ('failure' in result) {
      if (clock.now() + pauseAskedBy(result.failure, clock.now()) > lastMoment) throw result.failure;
    } else if (await isDone(result.value)) return result.value;
  }
  if (last && 'value' in last) return last.value;
  throw last?.failure ?? new Error('nothing was read');
}
