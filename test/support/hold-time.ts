import { onTestFinished, vi } from 'vitest';

/** Fakes timers and `performance` until the test ends, so that time passes only through `vi`. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}
