import type { Clock } from '../lib/clock.ts';

/** Milliseconds that work has at the end which had not begun by then. */
const lastMs = 500;

/**
 * Has work begin a while from now. Returns what ends it: what has begun by then is ended early, and what has not begins at
 * once and ends soon, so that it is done by those too who never live that long.
 * @param work ends early where its signal is aborted; throws nothing
 * @param pauseMs milliseconds
 */
export function later(
  work: (signal: AbortSignal) => Promise<void>,
  pauseMs: number,
  clock: Pick<Clock, 'sleep'>,
): () => Promise<void> {
  const [pause, working, last] = [new AbortController(), new AbortController(), new AbortController()];
  let isBegun = false;
  const begin = (): Promise<void> => {
    isBegun = true;
    return work(working.signal);
  };
  const done = clock.sleep(pauseMs, pause.signal).then(begin, begin);
  return async () => {
    if (isBegun) {
      working.abort();
      return done;
    }
    pause.abort();
    // What it asks may give no answer any more.
    await Promise.race([done, clock.sleep(lastMs, last.signal).catch(() => undefined)]);
    working.abort();
    last.abort();
  };
}
