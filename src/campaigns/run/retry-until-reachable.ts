import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/errors.ts';
import { shortDuration } from '../../lib/time.ts';

/** How long a run without --wait retries a database that can't be reached, in milliseconds. */
const patienceMs = 30_000;

/** Milliseconds between two attempts. The pause grows from the first to the longest. */
const [firstPauseMs, longestPauseMs] = [1000, 30_000];

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether to retry without a time limit. */
  readonly waits: boolean;
  /** Called once with the reason for the wait. */
  onAway(text: string): void;
}

/**
 * Opens something in a database, and retries while the database can't be reached.
 * @throws Failure `network` when the time limit is reached; other errors of `open` at once; the reason of the signal
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
