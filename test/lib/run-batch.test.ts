import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../../src/lib/iterables.ts';
import { runBatch } from '../../src/lib/run-batch.ts';

/** Waits for some rounds of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

const never = { signal: new AbortController().signal, stopsAfter: () => false };

describe('a batch', () => {
  it('yields the result of each item once, within the concurrency limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (lengths, concurrency, isArriving) => {
          let [running, most] = [0, 0];
          const work = async ([index, length]: readonly [number, number]): Promise<number> => {
            running += 1;
            most = Math.max(most, running);
            await turns(length + 1);
            running -= 1;
            return index;
          };
          const arriving = async function* () {
            for (const entry of lengths.entries()) {
              await turns(1);
              yield entry;
            }
          };
          const items = isArriving ? arriving() : lengths.entries();
          const results = await collect(runBatch(items, work, { ...never, concurrency }));
          expect(results.toSorted((one, other) => one - other)).toEqual([...lengths.keys()]);
          expect(most).toBeLessThanOrEqual(concurrency);
          if (!isArriving) expect(most).toBe(Math.min(concurrency, lengths.length));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('starts nothing after a final result, a signal or the end of the reader, and waits for running work', async () => {
    for (const how of ['result', 'signal', 'reader'] as const) {
      const end = new AbortController();
      const [begun, finished]: [number[], number[]] = [[], []];
      const work = async (item: number): Promise<number> => {
        begun.push(item);
        await turns(item === 1 ? 1 : 5);
        finished.push(item);
        return item;
      };
      const options = { concurrency: 3, signal: end.signal, stopsAfter: () => how === 'result' };
      for await (const result of runBatch([0, 1, 2, 3, 4, 5], work, options)) {
        if (finished.length === 1) expect(result, how).toBe(1);
        if (how === 'signal') end.abort();
        if (how === 'reader') break;
      }
      expect(begun, how).toEqual([0, 1, 2]);
      expect(finished.toSorted(), how).toEqual([0, 1, 2]);
    }
  });

  it('closes its source when it ends before that', async () => {
    let isClosed = false;
    const items = function* () {
      try {
        yield* [0, 1, 2];
      } finally {
        isClosed = true;
      }
    };
    const options = { ...never, concurrency: 1, stopsAfter: () => true };
    expect(await collect(runBatch(items(), async (item) => item, options))).toEqual([0]);
    expect(isClosed).toBe(true);
  });

  it('throws an unexpected error once no work is running', async () => {
    let finished = 0;
    const work = async (item: number): Promise<number> => {
      await turns(item);
      if (item === 1) throw new TypeError('one');
      finished += 1;
      return item;
    };
    const batch = collect(runBatch([1, 5, 9], work, { ...never, concurrency: 2 }));
    await expect(batch).rejects.toThrow('one');
    expect(finished).toBe(1);
  });
});
