import { expect, it } from 'vitest';
import { later } from '../../src/sandbox/later.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** Work that goes on until its signal is aborted, or the test ends it. */
function endlessWork() {
  const begun: AbortSignal[] = [];
  let finish = (): void => undefined;
  const work = (signal: AbortSignal): Promise<void> => {
    begun.push(signal);
    return new Promise((resolve) => {
      finish = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  };
  return { begun, work, finish: () => finish() };
}

it('work for later begins after the pause, and is aborted at the end', async () => {
  const clock = new FakeClock({ byHand: true });
  const { begun, work } = endlessWork();
  const end = later(work, 5000, clock);
  await clock.pass(4999);
  expect(begun).toEqual([]);
  await clock.pass(1);
  expect(begun.map(({ aborted }) => aborted)).toEqual([false]);
  await end();
  expect(begun.map(({ aborted }) => aborted)).toEqual([true]);
});

it('work for later begins at the end if it had not begun, and is waited for', async () => {
  const clock = new FakeClock({ byHand: true });
  const { begun, work, finish } = endlessWork();
  const end = later(work, 5000, clock);
  let isOver = false;
  const ended = end().then(() => {
    isOver = true;
  });
  await eventually(() => begun.length === 1);
  expect(isOver).toBe(false);
  finish();
  await ended;
  await clock.pass(10_000);
  expect(begun).toHaveLength(1);
});

it('work for later is abandoned if it ignores its signal at the end', async () => {
  const clock = new FakeClock({ byHand: true });
  const begun: AbortSignal[] = [];
  const end = later(
    (signal) => {
      begun.push(signal);
      return new Promise(() => undefined);
    },
    5000,
    clock,
  );
  const ended = end();
  await clock.pass(500);
  await ended;
  expect(begun.map(({ aborted }) => aborted)).toEqual([true]);
});
