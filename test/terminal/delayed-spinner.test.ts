import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batches } from '../../src/lib/iterables.ts';
import type { Row } from '../../src/output/fields.ts';
import { onFirstRow, spinAfterDelay } from '../../src/terminal/delayed-spinner.ts';
import { arriving } from './support.ts';

describe('the spinner', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function terminal() {
    const seen: string[] = [];
    const progress = (text: string) => {
      seen.push(text);
      return { update: () => undefined, stop: () => void seen.push('stopped') };
    };
    return { seen, progress };
  }

  it('appears within 100 milliseconds, and is removed', () => {
    const { seen, progress } = terminal();
    const stop = spinAfterDelay({ progress }, 'Asking');
    vi.advanceTimersByTime(99);
    expect(seen).toEqual(['Asking']);
    stop();
    expect(seen).toEqual(['Asking', 'stopped']);
  });

  it('is never shown if the response is immediate', () => {
    const { seen, progress } = terminal();
    spinAfterDelay({ progress }, 'Asking')();
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual([]);
  });
});

describe('the first row', () => {
  async function read(
    source: AsyncIterable<Row>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<readonly unknown[]> {
    const seen: unknown[] = [];
    const rows = onFirstRow(source, () => void seen.push('came'));
    for await (const { id } of rows) {
      seen.push(id);
      if (seen.length > most) break;
    }
    return seen;
  }

  it('calls back once before the first row is shown, or if there is none', async () => {
    expect(await read(arriving({ id: 1 }, { id: 2 }))).toEqual(['came', 1, 2]);
    expect(await read(arriving())).toEqual(['came']);
  });

  it('calls back on a failure too, and ends the source if the reader stops', async () => {
    let came = 0;
    const failing = (async function* (): AsyncGenerator<Row> {
      yield* [];
      throw new Error('lost');
    })();
    const rows = onFirstRow(failing, () => {
      came += 1;
    });
    await expect(rows[Symbol.asyncIterator]().next()).rejects.toThrow('lost');
    expect(came).toBe(1);

    let ended = false;
    const endless = (async function* (): AsyncGenerator<Row> {
      try {
        for (let id = 0; ; id += 1) yield { id };
      } finally {
        ended = true;
      }
    })();
    await read(endless, 1);
    expect(ended).toBe(true);
  });
});

it('batches remain batches', async () => {
  let came = 0;
  const rows = onFirstRow(new Batches(arriving([{ id: 1 }, { id: 2 }], [{ id: 3 }])), () => {
    came += 1;
  });
  expect(rows).toBeInstanceOf(Batches);
  const seen: unknown[] = [];
  for await (const { id } of rows) seen.push(id);
  expect({ seen, came }).toEqual({ seen: [1, 2, 3], came: 1 });
});
