import type { Clock } from '../lib/clock.ts';

/**
 * Returns a function that waits for the turn of the next request. Turns are spaced evenly, so that no more than
 * `perSecond` requests begin in a second.
 */
export function requestTurns(perSecond: number, clock: Clock): (signal: AbortSignal) => Promise<void> {
  const gap = 1000 / perSecond;
  let next = 0;
  return async (signal) => {
    const now = clock.now();
    const mine = Math.max(now, next);
    next = mine + gap;
    if (mine > now) await clock.sleep(mine - now, signal);
  };
}
