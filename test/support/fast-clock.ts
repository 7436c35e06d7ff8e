import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../src/io.ts';

/**
 * A clock that goes several times as fast as the machine's, for commands that wait for what a real service
 * does meanwhile.
 */
export function fastClock(times = 10): Clock {
  const begun = Date.now();
  return {
    now: () => begun + (Date.now() - begun) * times,
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      try {
        await wait(milliseconds / times, undefined, { signal });
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}
