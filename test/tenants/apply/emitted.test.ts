import { expect, it } from 'vitest';
import { emittedBy } from '../../../src/tenants/apply/emitted.ts';

it('says at once that nobody takes any more, and waits for what is under way', async () => {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const steps: string[] = [];
  const rows = emittedBy<number>(
    async (tell) => {
      tell(1);
      await left;
      steps.push('ended');
    },
    () => {
      steps.push('left');
      leave();
    },
  );
  for await (const row of rows) {
    steps.push(`took ${row}`);
    break;
  }
  expect(steps).toEqual(['took 1', 'left', 'ended']);
});

it('gives what was told before the work failed, and then what it failed by', async () => {
  const taken: number[] = [];
  const rows = emittedBy<number>(async (tell) => {
    tell(1);
    tell(2);
    throw new Error('broken');
  });
  await expect(
    (async () => {
      for await (const row of rows) taken.push(row);
    })(),
  ).rejects.toThrow('broken');
  expect(taken).toEqual([1, 2]);
});
