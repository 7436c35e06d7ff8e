import { expect, it } from 'vitest';
import { coalesceRuns } from '../../src/lib/coalesce-runs.ts';

it('runs once more for all callers during a run, and returns the result of their run to each', async () => {
  const endings: ((error?: Error) => void)[] = [];
  const ask = coalesceRuns(
    () =>
      new Promise((resolve, reject) => {
        endings.push((error) => (error ? reject(error) : resolve()));
      }),
  );
  const begun = async (count: number): Promise<void> => {
    while (endings.length < count) await Promise.resolve();
  };
  const first = [ask(), ask()];
  await begun(1);
  const second = [ask(), ask(), ask()];
  endings[0]?.(new Error('full'));
  expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await begun(2);
  endings[1]?.();
  await Promise.all(second);
  const third = ask();
  await begun(3);
  endings[2]?.();
  await third;
  expect(endings).toHaveLength(3);
});
