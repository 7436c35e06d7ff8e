/** A time limit for some work. */
export interface Deadline {
  /** Aborted at the deadline, or when the original signal is aborted. */
  readonly signal: AbortSignal;
  /** True if the deadline has passed. */
  readonly isOver: boolean;
  /** Must be called once the work is done. */
  clear(): void;
}

/** The abort reason of an expired deadline. */
export class DeadlineExceeded extends Error {
  override readonly message = 'the time is up';
}

/** Time and random numbers: everything that makes a command's behaviour vary between runs. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /**
   * Waits.
   * @throws the reason of the signal if it is aborted
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Returns a deadline that ends work on time, even if a response hangs.
   * @param milliseconds Infinity for no deadline
   */
  deadline(milliseconds: number, signal: AbortSignal): Deadline;
  /** Calls back repeatedly. Returns a function that stops it. */
  every(milliseconds: number, callback: () => void): () => void;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/** The longest delay of a timer; a later deadline, in more than 24 days, needs none. */
const maxTimerMs = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => sleepWith(startTimer, milliseconds, signal),
  deadline: (milliseconds, signal) => deadlineWith(startTimer, milliseconds, signal),
  every(milliseconds, callback) {
    const ticking = setInterval(callback, milliseconds);
    return () => clearInterval(ticking);
  },
  random: () => Math.random(),
};

/** Starts a timer. Returns a function that stops it. */
export type StartTimer = (milliseconds: number, callback: () => void) => () => void;

function startTimer(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}

/** Waits using a timer, as `Clock.sleep`. */
export function sleepWith(start: StartTimer, milliseconds: number, signal?: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const sleeping = new Promise<void>((resolve) => {
    stop = start(milliseconds, resolve);
  });
  return unlessAborted(sleeping, signal).finally(stop);
}

/**
 * Returns a deadline using a timer, as `Clock.deadline`. `AbortSignal.timeout` is unsuitable: Node garbage-collects one
 * that is referenced only by a combined signal.
 */
export function deadlineWith(start: StartTimer, milliseconds: number, signal: AbortSignal): Deadline {
  const end = new AbortController();
  const follow = (): void => end.abort(signal.reason);
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    end.abort(new DeadlineExceeded());
  };
  const stopTimer = milliseconds > maxTimerMs ? undefined : start(Math.max(0, milliseconds), finish);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return {
    signal: end.signal,
    get isOver() {
      return isOver;
    },
    clear() {
      stopTimer?.();
      signal.removeEventListener('abort', follow);
    },
  };
}

/**
 * Waits for work unless a signal is aborted. The work itself continues: other callers may wait for it too.
 * @throws the reason of the signal
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
