/** A time limit of some work. */
export interface Deadline {
  /** Aborted when the time is up, or when the signal that it was made from is. */
  readonly signal: AbortSignal;
  /** True if the time was up. */
  readonly isOver: boolean;
  /** Must be called once the work is done. */
  clear(): void;
}

/** The reason of a signal that a deadline aborted. */
export class DeadlineExceeded extends Error {
  override readonly message = 'the time is up';
}

/** Time and random numbers: everything that would make a command behave differently each time. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /**
   * Waits.
   * @throws the reason of the signal if that is aborted
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Returns a deadline that ends work when its time is up, so that an answer that hangs doesn't prolong it.
   * @param milliseconds Infinity for no end
   */
  deadline(milliseconds: number, signal: AbortSignal): Deadline;
  /** Calls back repeatedly. Returns a function that stops that. */
  every(milliseconds: number, callback: () => void): () => void;
  /** Returns a number from 0 to 1, 1 excluded. */
  random(): number;
}

/** The longest that a timer takes; what is later than in 24 days needs none. */
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

/** Waits by a timer, as `Clock.sleep`. */
export function sleepWith(start: StartTimer, milliseconds: number, signal?: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const sleeping = new Promise<void>((resolve) => {
    stop = start(milliseconds, resolve);
  });
  return unlessAborted(sleeping, signal).finally(stop);
}

/**
 * Returns a deadline by a timer, as `Clock.deadline`. `AbortSignal.timeout` won't do: Node forgets one that only a
 * combined signal refers to.
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
 * Waits for work unless a signal is aborted. The work itself goes on: others may wait for it too.
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
