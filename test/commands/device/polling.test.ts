import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/client/answer.ts';
import { type Polling, readUntil } from '../../../src/commands/device/polling.ts';
import { Failure } from '../../../src/errors.ts';
import { failureOf } from '../../client/failure-of.ts';
import { TestClock } from '../../support/open-test-api.ts';

function rateLimited(retryAfter: string): Failure {
  const cause = new ServiceError('rateLimited', 'Slow down.', 429, { retryAfter, isEnvelope: true });
  return new Failure('rateLimited', 'No more requests.', { cause });
}

const down = new Failure('network', 'No answer.');

/** Polls what is so, one step after the other, until it is `there`; the last step stays. */
function polled(steps: readonly (string | Error)[], more: Partial<Polling<string>> = {}) {
  const clock = new TestClock();
  const begun = clock.now();
  let reads = 0;
  const end = readUntil({
    async read() {
      const step = steps[Math.min(reads, steps.length - 1)] ?? '';
      reads += 1;
      if (typeof step !== 'string') throw step;
      return step;
    },
    isThere: (view) => view === 'there',
    patience: 10_000,
    clock,
    signal: new AbortController().signal,
    random: () => 0,
    ...more,
  });
  return { end, waits: clock.waits, took: () => clock.now() - begun, reads: () => reads };
}

describe('reading until something is there', () => {
  it('gives it as soon as it is there, and what was read last when the time is up', async () => {
    const quick = polled(['not yet', 'there']);
    expect(await quick.end).toBe('there');
    expect(quick.waits).toEqual([500]);
    const late = polled(['not yet']);
    expect(await late.end).toBe('not yet');
    expect(late.took()).toBe(10_000);
  });

  it('spreads its reads', async () => {
    const { end, waits } = polled(['not yet', 'there'], { random: () => 0.5 });
    await end;
    expect(waits).toEqual([550]);
  });

  it('goes on where reads fail that may succeed, more slowly each time', async () => {
    const { end, waits } = polled([down, down, 'not yet', 'there']);
    expect(await end).toBe('there');
    expect(waits).toEqual([2000, 4000, 500]);
  });

  it('waits out what the service asks, which takes nothing of the patience', async () => {
    const { end, waits } = polled([rateLimited('30'), 'not yet', 'there']);
    expect(await end).toBe('there');
    expect(waits).toEqual([30_000, 500]);
  });

  it('ends at once where the service asks to wait beyond the limit', async () => {
    const { end, reads } = polled([rateLimited('30')], { limit: 20_000 });
    expect(await failureOf(end)).toMatchObject({ kind: 'rateLimited' });
    expect(reads()).toBe(1);
    const hours = polled([rateLimited('7200')]);
    expect(await failureOf(hours.end)).toMatchObject({ kind: 'rateLimited' });
  });

  it('never takes longer than the limit', async () => {
    const { end, took } = polled(['not yet'], { limit: 1200 });
    expect(await end).toBe('not yet');
    expect(took()).toBe(1200);
  });

  it('fails where the last read failed, and where a read fails for good', async () => {
    expect(await failureOf(polled(['not yet', down]).end)).toBe(down);
    const refused = new Failure('notFound', 'No such device.');
    const { end, reads } = polled([refused]);
    expect(await failureOf(end)).toBe(refused);
    expect(reads()).toBe(1);
  });

  it('cuts an answer off that hangs', async () => {
    const { end } = polled([], {
      patience: 0,
      limit: 0,
      read: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    });
    expect(await failureOf(end)).toMatchObject({
      kind: 'network',
      message: 'The service did not answer within 1 s.',
    });
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const reason = new Failure('interrupted', 'Interrupted.');
    const { end } = polled([], {
      signal: stop.signal,
      async read() {
        stop.abort(reason);
        throw down;
      },
    });
    await expect(end).rejects.toBe(reason);
  });
});
