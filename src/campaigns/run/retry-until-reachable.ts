import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/errors.ts';
import { shortDuration } from '../../lib/time.ts';

/** Milliseconds for which a database that can't be reached is tried, unless the run waits. */
const patienceMs = 30_000;

/** Milliseconds between two attempts; they grow up to the longest. */
const [firstPauseMs, longestPauseMs] = [1000, 30_000];

/** How a run waits for its database. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Tries until the database can be reached. */
  readonly waits: boolean;
  /** Reports once what is waited for. */
  onAway(text: string): void;
}

/**
 * Opens something in a database, and tries again while that can't be reached.
 * @throws Failure `network` once the patience is over; other errors of `open` at once; the signal's reason
 */
export async function retryUntilReachable<T>(
  open: () => Promise<T>,
  { clock, signal, waits, onAway }: RetryOptions,
): Promise<T> {
  const end = clock.now() + patienceMs;
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, 2 * pause)) {
    try {
      return await open();
    } catch (error) {
      const isAway = error instanceof Failure && error.kind === 'network';
      if (!isAway || (!waits && clock.now() + pause > end)) throw error;
      const howLong = waits ? 'until it can be reached' : `for ${shortDuration(patienceMs)}`;
      if (pause === firstPauseMs) onAway(`${error.message} Trying again ${howLong}.`);
    }
    await clock.sleep(pause, signal);
  }
}
