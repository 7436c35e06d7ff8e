import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/client/answer.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { type PollOptions, pollUntil } from '../../../src/resources/devices/poll.ts';
import { failureOf } from '../../client/failure-of.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function rateLimited(retryAfter: string): Failure {
  const cause = new ServiceError('rateLimited', 'Slow down.', 429, { retryAfter, isEnvelope: true });
  return new Failure('rateLimited', 'No more requests.', { cause });
}

const down = new Failure('network', 'No answer.');

/** The results of reads: each step once, and the last one repeatedly; or the function that reads. */
type Script = readonly (string | Error)[] | ((signal: AbortSignal) => Promise<string>);

/** Polls until a read returns `there`. */
function polled(script: Script, more: Partial<PollOptions> = {}, random = 0) {
  const clock = new FakeClock({ random });
  const begun = clock.now();
  let reads = 0;
  const read = async (signal: AbortSignal): Promise<string> => {
    if (typeof script === 'function') return script(signal);
    const step = script[Math.min(reads, script.length - 1)] ?? '';
    reads += 1;
    if (typeof step !== 'string') throw step;
    return step;
  };
  const { signal } = new AbortController();
  const end = pollUntil(read, (value) => value === 'there', { timeoutMs: 10_000, clock, signal, ...more });
  return { end, waits: clock.waits, took: () => clock.now() - begun, reads: () => reads };
}

describe('polling', () => {
  it('returns the awaited state as soon as it is there, and the last one on a timeout', async () => {
    const quick = polled(['not yet', 'there']);
    expect(await quick.end).toBe('there');
    expect(quick.waits).toEqual([500]);
    const late = polled(['not yet']);
    expect(await late.end).toBe('not yet');
    expect(late.took()).toBe(10_000);
  });

  it('spreads its reads', async () => {
    const { end, waits } = polled(['not yet', 'there'], {}, 0.5);
    await end;
    expect(waits).toEqual([550]);
  });

  it('continues if reads fail temporarily, more slowly each time', async () => {
    const { end, waits } = polled([down, down, 'not yet', 'there']);
    expect(await end).toBe('there');
    expect(waits).toEqual([2000, 4000, 500]);
  });

  it('retries a device that existed before and is reported missing, three times in about 15 s', async () => {
    const gone = new Failure('notFound', 'No such device.');
    const { end, waits } = polled(['not yet', gone, gone, gone, 'there'], { timeoutMs: 60_000 });
    expect(await end).toBe('there');
    expect(waits.slice(1)).toEqual([2000, 4000, 8000]);
    expect(await failureOf(polled(['not yet', gone], { timeoutMs: 60_000 }).end)).toBe(gone);
    const never = polled([gone]);
    expect(await failureOf(never.end)).toBe(gone);
    expect(never.waits).toEqual([]);
    expect(await polled([gone, 'there'], { hasAnswered: true }).end).toBe('there');
  });

  it('waits for Retry-After, which does not count towards the limit of retries', async () => {
    const { end, waits } = polled([rateLimited('30'), 'not yet', 'there']);
    expect(await end).toBe('there');
    expect(waits).toEqual([30_000, 500]);
  });

  it('ends at once if the service asks to wait beyond the limit', async () => {
    const { end, reads } = polled([rateLimited('30')], { limitMs: 20_000 });
    expect(await failureOf(end)).toMatchObject({ kind: 'rateLimited' });
    expect(reads()).toBe(1);
    const hours = polled([rateLimited('7200')]);
    expect(await failureOf(hours.end)).toMatchObject({ kind: 'rateLimited' });
  });

  it('never takes longer than the limit', async () => {
    const { end, took } = polled(['not yet'], { limitMs: 1200 });
    expect(await end).toBe('not yet');
    expect(took()).toBe(1200);
  });

  it('fails if the last read failed, and if a read fails permanently', async () => {
    expect(await failureOf(polled(['not yet', down]).end)).toBe(down);
    const refused = new Failure('notFound', 'No such device.');
    const { end, reads } = polled([refused]);
    expect(await failureOf(end)).toBe(refused);
    expect(reads()).toBe(1);
  });

  it('aborts a hanging response', async () => {
    const clock = new FakeClock();
    const { end } = polled((signal) => clock.hang(signal), { timeoutMs: 0, limitMs: 0, clock });
    expect(await failureOf(end)).toMatchObject({
      kind: 'network',
      message: 'The service did not answer within 1 s.',
    });
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const reason = new Failure('interrupted', 'Interrupted.');
    const read = async (): Promise<string> => {
      stop.abort(reason);
      throw down;
    };
    const { end } = polled(read, { signal: stop.signal });
    await expect(end).rejects.toBe(reason);
  });
});
