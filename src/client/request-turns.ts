import type { Clock } from '../lib/clock.ts';

/**
 * Returns a function that waits for the turn of the next request. Turns are spaced evenly, so that no more than
 * `perSecond` requests begin in a second; without a limit nobody waits.
 */
export function requestTurns(
  perSecond: number | undefined,
  clock: Clock,
): (signal: AbortSignal) => Promise<void> {
  if (perSecond === undefined) return async () => undefined;
  const gap = 1000 / perSecond;
  let next = 0;
  return async (signal) => {
    const now = clock.now();
    const mine = Math.max(now, next);
    next = mine + gap;
    if (mine > now) await clock.sleep(mine - now, signal);
  };
}
