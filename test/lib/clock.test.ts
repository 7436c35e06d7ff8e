import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';

const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));

describe('the clock of the machine', () => {
  it('aborts work at its deadline, and when its parent signal is aborted', async () => {
    const late = systemClock.deadline(1, new AbortController().signal);
    await aborted(late.signal);
    expect(late.isOver).toBe(true);
    const stop = new AbortController();
    const endless = systemClock.deadline(Number.POSITIVE_INFINITY, stop.signal);
    const reason = new Error('interrupted');
    stop.abort(reason);
    expect(endless.signal.reason).toBe(reason);
    expect(endless.isOver).toBe(false);
  });

  it('does not sleep if the signal is aborted', async () => {
    const reason = new Error('interrupted');
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('ticks until it is stopped', async () => {
    let stop: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      let ticks = 0;
      stop = systemClock.every(1, () => {
        ticks += 1;
        if (ticks === 2) resolve();
      });
    });
    stop?.();
  });
});

describe('the clock of tests', () => {
  it('advances if everything sleeps, with ticks and deadlines at their time', async () => {
    const clock = new FakeClock();
    const begun = clock.now();
    const ticks: number[] = [];
    const stop = clock.every(400, () => ticks.push(clock.now() - begun));
    const { signal } = new AbortController();
    const deadline = clock.deadline(1500, signal);
    await Promise.all([clock.sleep(1000), clock.sleep(700)]);
    expect(clock.now() - begun).toBe(1000);
    expect(ticks).toEqual([400, 800]);
    expect(deadline.isOver).toBe(false);
    await expect(clock.hang(deadline.signal)).rejects.toThrow('the time is up');
    expect(deadline.isOver).toBe(true);
    stop();
  });
});
