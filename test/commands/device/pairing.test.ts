import { describe, expect, it } from 'vitest';
import {
  type PairingEvent,
  type PairingOptions,
  watchPairing,
} from '../../../src/commands/device/pairing.ts';
import type { StatusView } from '../../../src/commands/device/state.ts';
import { Failure } from '../../../src/errors.ts';
import { dataUrl, drawCode } from '../../../src/sandbox/code-picture.ts';
import { TestClock } from '../../support/open-test-api.ts';

const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const stopped = (reason?: string): StatusView => ({
  device_id: id,
  status: 'stopped',
  connected: false,
  logged_in: false,
  ...(reason && { last_disconnect_reason: reason }),
});
const starting: StatusView = { device_id: id, status: 'started', connected: false, logged_in: false };
const withCode = (text: string): StatusView => ({ ...starting, qr_code: dataUrl(drawCode(text)) });
const offline: StatusView = { ...starting, logged_in: true };
const ready: StatusView = { ...starting, connected: true, logged_in: true, phone_number: '5511912345678' };

type Step = StatusView | Failure;

/** Watches a device whose status is read step by step; the last one stays. */
async function watched(steps: readonly Step[], options: Partial<PairingOptions> = {}) {
  const clock = new TestClock();
  let reads = 0;
  const read = async (): Promise<StatusView> => {
    const step = steps[Math.min(reads, steps.length - 1)] ?? starting;
    reads += 1;
    if (step instanceof Failure) throw step;
    return step;
  };
  const events: PairingEvent[] = [];
  const watching = watchPairing({
    read,
    clock,
    signal: new AbortController().signal,
    timeout: 60_000,
    fresh: true,
    patience: 10_000,
    ...options,
  });
  for await (const event of watching) events.push(event);
  return { events, kinds: events.map(({ kind }) => kind), waits: clock.waits, reads };
}

describe('watching a pairing', () => {
  it('tells each change once, and ends when the device is connected', async () => {
    const { events, kinds } = await watched([
      starting,
      starting,
      withCode('one'),
      withCode('one'),
      withCode('two'),
      offline,
      ready,
    ]);
    expect(kinds).toEqual(['connecting', 'code', 'code', 'scanned', 'connected']);
    expect(events[1]).toMatchObject({ number: 1, life: 60_000 });
    expect(events[2]).toMatchObject({ number: 2, life: 20_000 });
    expect(events.at(-1)).toMatchObject({ phoneNumber: '+5511912345678' });
  });

  it('compares what codes say, not their pictures', async () => {
    const other = withCode('one');
    const bytes = Buffer.from(String(other.qr_code).split(',')[1] ?? '', 'base64');
    const text = Buffer.concat([
      bytes.subarray(0, -12),
      Buffer.from('0000000074455874' + '00000000', 'hex'),
      bytes.subarray(-12),
    ]);
    const { kinds } = await watched([withCode('one'), { ...other, qr_code: dataUrl(text) }, ready]);
    expect(kinds).toEqual(['code', 'connected']);
  });

  it('says nothing of the life of a code whose beginning it has not seen', async () => {
    const { events } = await watched([withCode('one'), withCode('two'), ready], { fresh: false });
    expect(events[0]).toMatchObject({ kind: 'code', number: 1, life: undefined });
    expect(events[1]).toMatchObject({ kind: 'code', number: 2, life: 20_000 });
  });

  it('ends when a started device stops, with the reason', async () => {
    const { events } = await watched([withCode('one'), stopped('QR refs attempts ended')]);
    expect(events.at(-1)).toMatchObject({ kind: 'lost', reason: 'QR refs attempts ended' });
  });

  it('gives a device that was just connected time to start', async () => {
    const late = await watched([stopped(), stopped(), withCode('one'), ready]);
    expect(late.kinds).toEqual(['connecting', 'code', 'connected']);
    const never = await watched([stopped('gone')]);
    expect(never.kinds).toEqual(['connecting', 'lost']);
  });

  it('waits for somebody to connect a stopped device where it may', async () => {
    const { kinds } = await watched([stopped('gone'), stopped('gone'), withCode('one'), ready], {
      fresh: false,
      patience: Number.POSITIVE_INFINITY,
    });
    expect(kinds).toEqual(['stopped', 'code', 'connected']);
  });

  it('ends when the time is up, and never waits beyond it', async () => {
    const { events, waits } = await watched([withCode('one')], { timeout: 2500 });
    expect(events.at(-1)).toMatchObject({ kind: 'timeout', after: 2500 });
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(2500);
  });

  it('reads more often while something is about to happen, and less often while reads fail', async () => {
    expect((await watched([starting, starting, ready])).waits).toEqual([500, 500]);
    expect((await watched([withCode('one'), withCode('one'), ready])).waits).toEqual([1000, 1000]);
    const stale = await watched([withCode('one')], { timeout: 62_000 });
    expect(stale.waits.at(0)).toBe(1000);
    expect(stale.waits.at(-1)).toBe(500);
    const network = new Failure('network', 'No answer.');
    const { kinds, waits } = await watched([
      withCode('one'),
      network,
      network,
      network,
      withCode('one'),
      ready,
    ]);
    expect(kinds).toEqual(['code', 'unreachable', 'code', 'connected']);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 1000]);
  });

  it('names the problem of a picture that it cannot read, once', async () => {
    const gif = { ...starting, qr_code: `data:image/gif;base64,${Buffer.from('GIF89a').toString('base64')}` };
    const { events } = await watched([gif, gif, { ...starting, qr_code: 'https://example.com/qr' }, ready]);
    expect(events).toMatchObject([
      { kind: 'unreadable', problem: 'is a GIF, not a PNG', picture: Buffer.from('GIF89a') },
      { kind: 'unreadable', problem: 'is no base64 data URL', picture: undefined },
      { kind: 'connected' },
    ]);
  });

  it('ends with the failure where reading cannot succeed, and with the reason where it is aborted', async () => {
    const gone = new Failure('notFound', 'There is no such device.');
    await expect(watched([withCode('one'), gone])).rejects.toBe(gone);
    const abort = new AbortController();
    const interrupted = new Failure('interrupted', 'Interrupted.');
    abort.abort(interrupted);
    await expect(watched([withCode('one')], { signal: abort.signal })).rejects.toBe(interrupted);
  });
});
