import { onTestFinished, vi } from 'vitest';

/** Lets the time of timers and of `performance` pass only as `vi` says, until the test ends. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}
