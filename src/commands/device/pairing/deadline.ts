/** The longest that a timer takes; what is later than in 24 days needs none. */
const longestTimer = 2 ** 31 - 1;

/** The end of the time that work may take. */
export interface Deadline {
  /** Ends when the time is up, and when the signal does that it was made from. */
  readonly signal: AbortSignal;
  /** Whether it was the time. */
  readonly isOver: boolean;
  /** Has to be called once the work is done. */
  clear(): void;
}

/**
 * Ends work when its time is up, so that an answer that hangs doesn't prolong it. `AbortSignal.timeout` won't
 * do: Node forgets one that only a combined signal refers to.
 * @param milliseconds of the machine's time; Infinity where there is no end
 */
export function deadlineAfter(milliseconds: number, signal: AbortSignal): Deadline {
  const end = new AbortController();
  const follow = (): void => end.abort(signal.reason);
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    end.abort(new Error('the time is up'));
  };
  const timer = milliseconds > longestTimer ? undefined : setTimeout(finish, Math.max(0, milliseconds));
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return {
    signal: end.signal,
    get isOver() {
      return isOver;
    },
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', follow);
    },
  };
}
