import { ServiceError } from '../../client/answer.ts';
import { retryAfter } from '../../client/retry.ts';
import { Failure } from '../../errors.ts';
import type { Clock } from '../../io.ts';
import { deadlineAfter } from './pairing/deadline.ts';
import { span } from './words.ts';

/** Milliseconds between two reads of what may change any moment. */
const usualPause = 500;

/** Milliseconds after the first of several failures in a row; doubled each time, up to the longest. */
const firstBackoff = 2000;
const longestBackoff = 15_000;

/** A pause is up to this part longer, so that many who wait don't come back at once. */
const jitter = 0.2;

/** Milliseconds that the service may ask to wait beyond the patience, where no limit is given. */
const mostAsked = 120_000;

/** Milliseconds that a read is given, however little of the time is left. */
const leastRead = 1000;

/** Whether another call may succeed where this one failed. */
export function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && (error.kind === 'network' || error.kind === 'rateLimited');
}

/** Milliseconds that the service asked to wait; 0 where it didn't. */
export function pauseAskedBy({ cause }: Failure, now: number): number {
  return cause instanceof ServiceError ? (retryAfter(cause.detail.retryAfter, now) ?? 0) : 0;
}

/** Milliseconds to wait after so many failures in a row: as long as the service asks, or longer each time. */
export function pauseAfterFailure(failure: Failure, failures: number, now: number): number {
  const backoff = Math.min(firstBackoff * 2 ** (failures - 1), longestBackoff);
  return Math.max(pauseAskedBy(failure, now), backoff);
}

/**
 * A pause, and a little more.
 * @param random from 0 to 1, 1 excluded
 */
export function spread(pause: number, random: number): number {
  return Math.round(pause * (1 + jitter * random));
}

/** How something is read again and again. */
export interface Polling<View> {
  read(signal: AbortSignal): Promise<View>;
  isThere(view: View): boolean | Promise<boolean>;
  /** Milliseconds that it may take. What the service asks to wait doesn't count. */
  readonly patience: number;
  /** Milliseconds that it may take with all that; two minutes beyond the patience where not given. */
  readonly limit?: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Gives a number from 0 to 1, 1 excluded. */
  random?(): number;
}

/**
 * Reads until what is read is as it should be, or the time is up. Gives what was read last. A read that fails
 * and may succeed another time is repeated; where the service asks to wait, that is waited out.
 * @throws Failure where a read fails for good, where the last one failed, and where the service asks to wait
 * beyond the limit; the signal's reason when it is aborted
 */
export async function readUntil<View>(polling: Polling<View>): Promise<View> {
  const { clock, signal, patience, limit = patience + mostAsked, random = Math.random } = polling;
  const lastMoment = clock.now() + limit;
  let end = Math.min(clock.now() + patience, lastMoment);
  for (let failures = 0; ; ) {
    const isLast = clock.now() >= end;
    let pause = usualPause;
    try {
      // Not until the end of the patience: the client itself waits where the service asks to.
      const view = await readWithin(Math.max(leastRead, lastMoment - clock.now()), polling);
      if ((await polling.isThere(view)) || isLast) return view;
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      if (isLast || !isPassing(error)) throw error;
      failures += 1;
      const asked = pauseAskedBy(error, clock.now());
      if (clock.now() + asked > lastMoment) throw error;
      pause = pauseAfterFailure(error, failures, clock.now());
      end = Math.min(end + asked, lastMoment);
    }
    await clock.sleep(Math.min(spread(pause, random()), Math.max(0, end - clock.now())), signal);
  }
}

/** An answer that hangs doesn't prolong the time. */
async function readWithin<View>(time: number, { read, signal }: Polling<View>): Promise<View> {
  const deadline = deadlineAfter(time, signal);
  try {
    return await read(deadline.signal);
  } catch (error) {
    if (signal.aborted || !deadline.isOver) throw error;
    throw new Failure('network', `The service did not answer within ${span(time)}.`, {
      hint: 'Try again in a minute.',
    });
  } finally {
    deadline.clear();
  }
}
