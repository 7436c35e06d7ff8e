import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/client/answer.ts';
import { Failure } from '../../../../src/lib/errors.ts';
import type { JsonObject } from '../../../../src/lib/json-object.ts';
import { type DeviceStatus, deviceStatus } from '../../../../src/resources/devices/device-status.ts';
import { isRead, readCode } from '../../../../src/resources/devices/pairing/code.ts';
import {
  type PairingEvent,
  type PairingOptions,
  watchPairing,
} from '../../../../src/resources/devices/pairing/watch-pairing.ts';
import { dataUrl, drawCode } from '../../../../src/sandbox/code-picture.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const stopped = (reason?: string): JsonObject => ({
  device_id: id,
  status: 'stopped',
  connected: false,
  logged_in: false,
  ...(reason && { last_disconnect_reason: reason }),
});
const starting: JsonObject = { device_id: id, status: 'started', connected: false, logged_in: false };
const withCode = (text: string): JsonObject => ({ ...starting, qr_code: dataUrl(drawCode(text)) });
const offline: JsonObject = { ...starting, logged_in: true };
const ready: JsonObject = { ...starting, connected: true, logged_in: true, phone_number: '5511912345678' };

type Step = JsonObject | Failure;

/** Watches a device whose status reads follow these steps; the last one repeats. */
async function watched(steps: readonly Step[], options: Partial<PairingOptions> = {}) {
  const clock = new FakeClock();
  let reads = 0;
  const read = async (): Promise<DeviceStatus> => {
    const step = steps[Math.min(reads, steps.length - 1)] ?? starting;
    reads += 1;
    if (step instanceof Failure) throw step;
    return deviceStatus(step);
  };
  const events: PairingEvent[] = [];
  const watching = watchPairing({
    read,
    clock,
    signal: new AbortController().signal,
    timeout: 60_000,
    justConnected: true,
    startTimeoutMs: 10_000,
    ...options,
  });
  for await (const event of watching) events.push(event);
  return { events, kinds: events.map(({ kind }) => kind), waits: clock.waits, reads };
}

describe('watching a pairing', () => {
  it('reports each change once, and ends when the device is connected', async () => {
    const { events, kinds } = await watched([
      starting,
      starting,
      withCode('one'),
      withCode('one'),
      withCode('two'),
      offline,
      ready,
    ]);
    expect(kinds).toEqual(['starting', 'code', 'code', 'scanned', 'connected']);
    expect(events[1]).toMatchObject({ number: 1, life: 60_000 });
    expect(events[2]).toMatchObject({ number: 2, life: 20_000 });
    expect(events.at(-1)).toMatchObject({ phoneNumber: '+5511912345678' });
  });

  it('compares the content of codes, not their pictures', async () => {
    const other = withCode('one');
    const bytes = Buffer.from(String(other.qr_code).split(',')[1] ?? '', 'base64');
    const text = Buffer.concat([
      bytes.subarray(0, -12),
      Buffer.from('0000000074455874' + '00000000', 'hex'),
      bytes.subarray(-12),
    ]);
    const { kinds } = await watched([withCode('one'), { ...other, qr_code: dataUrl(text) }, ready]);
    expect(kinds).toEqual(['code', 'scanned', 'connected']);
  });

  it('reports no lifetime of a code whose start it has not seen', async () => {
    const { events } = await watched([withCode('one'), withCode('two'), ready], { justConnected: false });
    expect(events[0]).toMatchObject({ kind: 'code', number: 1, life: undefined });
    expect(events[1]).toMatchObject({ kind: 'code', number: 2, life: 20_000 });
  });

  it('expects a code to live as long as the last two, if the service replaces them sooner', async () => {
    const codes = ['one', 'two', 'three', 'four', 'five'].map(withCode);
    const { events } = await watched([...codes.flatMap((code) => [code, code]), ready]);
    const lives = events.flatMap((event) => (event.kind === 'code' ? [event.life] : []));
    expect(lives).toEqual([60_000, 20_000, 20_000, expect.any(Number), expect.any(Number)]);
    expect(Math.max(...lives.slice(3).map(Number))).toBeLessThan(5000);
  });

  it('ends when a started device stops, with the reason, and reports whether its codes have expired', async () => {
    const ending = async (...steps: readonly Step[]) => (await watched(steps)).events.at(-1);
    const kind = 'failed';
    expect(await ending(withCode('one'), stopped('QR refs attempts ended'))).toMatchObject({
      kind,
      reason: 'QR refs attempts ended',
      because: 'expired',
    });
    expect(await ending(withCode('one'), stopped('401 logged out'))).toMatchObject({ because: 'stopped' });
    expect(await ending(withCode('one'), stopped())).toMatchObject({ kind, because: 'stopped' });
    const stale = Array.from({ length: 70 }, () => withCode('one'));
    const silent = await watched([...stale, stopped()], { timeout: undefined });
    expect(silent.events.at(-1)).toMatchObject({ kind, because: 'expired' });
    expect(await ending(withCode('one'), offline, stopped('QR refs attempts ended'))).toMatchObject({
      because: 'stopped',
    });
  });

  it('waits 15 s for a first code, and as long for one that disappears', async () => {
    const never = await watched([starting]);
    expect(never.kinds).toEqual(['starting', 'failed']);
    expect(never.events.at(-1)).toMatchObject({ reason: 'no code for 15 s', because: 'no_code' });
    expect(never.waits.reduce((sum, wait) => sum + wait, 0)).toBe(15_000);
    const gone = await watched([withCode('one'), starting]);
    expect(gone.events.at(-1)).toMatchObject({ kind: 'failed', because: 'expired' });
    const patient = await watched([starting], { startTimeoutMs: Number.POSITIVE_INFINITY });
    expect(patient.kinds).toEqual(['starting', 'timeout']);
  });

  it('gives up on a code that is never replaced, and ignores the code of the previous round', async () => {
    const kept = await watched([withCode('one')], { timeout: undefined });
    expect(kept.events.at(-1)).toMatchObject({ kind: 'failed', because: 'expired' });
    const [first] = (await watched([withCode('one')])).events;
    const spent = first?.kind === 'code' ? first.code.fingerprint : undefined;
    const renewed = await watched([withCode('one'), withCode('two'), ready], {
      previousFingerprint: spent,
      round: 2,
    });
    expect(renewed.kinds).toEqual(['starting', 'code', 'scanned', 'connected']);
    expect(renewed.events[1]).toMatchObject({ number: 1, life: 60_000, round: 2 });
  });

  it('is not misled by the short connection after a scan', async () => {
    const { kinds, events } = await watched([withCode('one'), ready, ready, offline, offline, ready, ready]);
    expect(kinds).toEqual(['code', 'scanned', 'connected']);
    const [, scanned, connected] = events;
    expect(Number(connected?.at) - Number(scanned?.at)).toBe(2000);
    const steady = await watched([withCode('one'), ready]);
    expect(steady.events.at(-1)).toMatchObject({ kind: 'connected', took: 1000 });
    expect(steady.reads).toBe(5);
    expect((await watched([ready], { justConnected: false })).reads).toBe(1);
    expect((await watched([ready], { justConnected: true })).kinds).toEqual(['scanned', 'connected']);
  });

  it('reports the status of a device that it joins: offline, or scanned and not connected yet', async () => {
    const joined = async (reason: string) => {
      const { events } = await watched([{ ...offline, last_disconnect_reason: reason }], {
        justConnected: false,
        timeout: 40_000,
      });
      return events;
    };
    expect(await joined('Connection was lost')).toMatchObject([
      { kind: 'reconnecting' },
      { kind: 'timeout' },
    ]);
    const scanned = await joined('QR refs attempts ended');
    expect(scanned.map(({ kind }) => kind)).toEqual(['scanned', 'stalled', 'timeout']);
  });

  it('reports once that a scanned device does not connect, and continues', async () => {
    const long = Array.from({ length: 80 }, () => offline);
    const { kinds, events } = await watched([withCode('one'), ...long, ready], { timeout: undefined });
    expect(kinds).toEqual(['code', 'scanned', 'stalled', 'connected']);
    const [, scanned, stalled] = events;
    expect(stalled).toMatchObject({ since: scanned?.at });
    expect(Number(stalled?.at) - Number(scanned?.at)).toBe(30_000);
    const declined = await watched([withCode('one'), offline, withCode('two'), ready]);
    expect(declined.kinds).toEqual(['code', 'scanned', 'scan_failed', 'code', 'scanned', 'connected']);
  });

  it('reports a failed scan with its reason, counted, and ignores a flickering flag', async () => {
    const restart = {
      last_disconnect_reason: '515 restart required',
      last_disconnect_at: '2026-01-01T00:00:05Z',
    };
    const again = (text: string): JsonObject => ({ ...withCode(text), ...restart });
    const { kinds, events } = await watched([
      withCode('one'),
      { ...offline, ...restart },
      again('two'),
      again('two'),
      ready,
      again('two'),
      { ...starting, connected: true },
      again('three'),
      ready,
    ]);
    const scans = ['scanned', 'scan_failed', 'code'];
    expect(kinds).toEqual(['code', ...scans, ...scans, 'scanned', 'code', 'scanned', 'connected']);
    const failed = events.filter(({ kind }) => kind === 'scan_failed');
    expect(failed).toMatchObject([{ scans: 1, reason: '515 restart required' }, { scans: 2 }]);
    expect(events[3]).toMatchObject({ kind: 'code', failedScan: { scans: 1 } });
  });

  it('counts no scan of an earlier pairing that reappears and is lost', async () => {
    const lost = { ...withCode('one'), last_disconnect_reason: '401 logged out' };
    for (const before of [offline, ready])
      expect((await watched([before, lost, ready])).kinds).toEqual([
        'scanned',
        'code',
        'scanned',
        'connected',
      ]);
  });

  it('forwards the service’s message while there is no code, and ends with the reason that it means', async () => {
    const message = 'rate-overlimit: cannot link new devices at this time';
    const first = await watched([{ ...starting, message }]);
    expect(first.events).toMatchObject([
      { kind: 'starting', words: message, doubt: { state: 'limited' } },
      { kind: 'failed', because: 'limited', words: message },
    ]);
    const later = await watched([withCode('one'), { ...starting, message }]);
    expect(later.events.at(-1)).toMatchObject({ kind: 'failed', because: 'limited' });
    const reason = '402 temporarily banned until noon';
    const banned = await watched([withCode('one'), { ...stopped(reason), message: 'Stopped.' }]);
    expect(banned.events.at(-1)).toMatchObject({ because: 'blocked', words: `${reason}; Stopped.` });
    const counting = [5, 4, 3].map((left) => ({ ...starting, message: `Ready in ${left} s.` }));
    expect((await watched([...counting, withCode('one')], { timeout: 5000 })).kinds).toEqual([
      'starting',
      'code',
      'timeout',
    ]);
    const old = { last_disconnect_reason: reason };
    const history = await watched([
      { ...starting, ...old },
      { ...withCode('one'), ...old },
      { ...starting, ...old },
    ]);
    expect(history.events[0], 'it may be lifted').not.toHaveProperty('doubt.state');
    expect(history.events.at(-1)).toMatchObject({ because: 'expired' });
    expect((await watched([{ ...starting, message }], { timeout: 2000 })).events.at(-1)).toMatchObject({
      kind: 'timeout',
      words: message,
    });
  });

  it('does not report an unknown status as started', async () => {
    const broken = { ...starting, status: 'FAILED', message: 'session failed' };
    expect((await watched([broken])).events).toMatchObject([
      { kind: 'starting', doubt: { state: 'unknown', status: 'FAILED' }, words: 'session failed' },
      {
        kind: 'failed',
        because: 'unknown',
        reason: 'the service calls it "FAILED"',
        words: 'session failed',
      },
    ]);
    const own = { ...withCode('one'), status: 'SCAN_QR_CODE' };
    const ended = await watched([own, { ...own, qr_code: undefined }]);
    expect(ended.events.at(-1), 'its own word for started').toMatchObject({ because: 'expired' });
  });

  it('draws the code of a device with the status stopped, until that code is known to have expired', async () => {
    const odd = (text: string, reason?: string) => ({ ...withCode(text), ...stopped(reason) });
    const { kinds } = await watched([odd('one'), odd('two'), ready]);
    expect(kinds).toEqual(['code', 'code', 'scanned', 'connected']);
    const over = await watched([odd('one'), odd('one', 'QR refs attempts ended')]);
    expect(over.events.at(-1)).toMatchObject({ kind: 'failed', because: 'expired' });
    for (const reason of [undefined, 'QR refs attempts ended']) {
      const old = { last_disconnect_reason: reason };
      const ended = await watched([
        { ...starting, ...old },
        { ...withCode('one'), ...old },
        odd('one', reason),
      ]);
      expect(ended.kinds, 'it was called started beside its code').toEqual(['starting', 'code', 'failed']);
    }
    const left = await watched([odd('one', 'QR refs attempts ended')], {
      justConnected: false,
      startTimeoutMs: Number.POSITIVE_INFINITY,
      timeout: 3000,
    });
    expect(left.kinds).toEqual(['stopped', 'timeout']);
  });

  it('continues after a status from before the connect call that still has an expired code', async () => {
    const expired = 'QR refs attempts ended';
    const before = { ...withCode('old'), ...stopped(expired) };
    const steps = [before, before, stopped(expired), starting, withCode('new'), ready];
    const { kinds } = await watched(steps);
    expect(kinds).toEqual(['code', 'starting', 'code', 'scanned', 'connected']);
    const code = await readCode(String(before.qr_code));
    const previousFingerprint = isRead(code) ? code.fingerprint : undefined;
    const next = await watched(steps, { previousFingerprint, round: 2 });
    expect(next.kinds).toEqual(['starting', 'code', 'scanned', 'connected']);
  });

  it('reports a code as doubtful if no read has confirmed it for 20 s, for any delay of the reads', async () => {
    const clock = new FakeClock();
    let reads = 0;
    const slow = async (signal: AbortSignal): Promise<DeviceStatus> => {
      reads += 1;
      // The client itself waits for as long as the service asks.
      if (reads === 2) await clock.sleep(40_000, signal);
      return deviceStatus(reads < 4 ? withCode('one') : ready);
    };
    const { kinds, events } = await watched([], { read: slow, clock });
    expect(kinds).toEqual(['code', 'unconfirmed', 'code', 'scanned', 'connected']);
    expect(Number(events[1]?.at) - Number(events[0]?.at)).toBe(20_000);
    const network = new Failure('network', 'No answer.');
    const failing = await watched([
      withCode('one'),
      network,
      network,
      network,
      network,
      withCode('one'),
      ready,
    ]);
    expect(failing.kinds).toEqual(['code', 'unreachable', 'unconfirmed', 'code', 'scanned', 'connected']);
  });

  it('aborts a read in flight when its caller has seen enough', async () => {
    const clock = new FakeClock({ byHand: true });
    let isEnded = false;
    const read = (signal: AbortSignal): Promise<DeviceStatus> => {
      signal.addEventListener('abort', () => {
        isEnded = true;
      });
      return clock.hang(signal);
    };
    const watching = watchPairing({
      read: (signal) =>
        isEnded || clock.now() === begun ? Promise.resolve(deviceStatus(withCode('one'))) : read(signal),
      clock,
      signal: new AbortController().signal,
      timeout: undefined,
      justConnected: true,
      startTimeoutMs: 10_000,
    });
    const begun = clock.now();
    await watching.next();
    const doubt = watching.next();
    await clock.pass(25_000);
    expect((await doubt).value).toMatchObject({ kind: 'unconfirmed' });
    await watching.return(undefined);
    expect(isEnded).toBe(true);
  });

  it('waits as long as a rate-limiting service asks', async () => {
    const detail = { retryAfter: '7', isEnvelope: true };
    const cause = new ServiceError('rateLimited', 'slow down', 429, detail);
    const often = new Failure('rateLimited', 'No more requests.', { cause });
    const { kinds, waits } = await watched([withCode('one'), often, withCode('one'), ready]);
    expect(kinds).toEqual(['code', 'unreachable', 'code', 'scanned', 'connected']);
    expect(waits[1]).toBe(7000);
  });

  it('ends on time although a response hangs', async () => {
    const clock = new FakeClock();
    let reads = 0;
    const hanging = (signal: AbortSignal): Promise<DeviceStatus> => {
      reads += 1;
      if (reads === 1) return Promise.resolve(deviceStatus(withCode('one')));
      return clock.hang(signal);
    };
    const { kinds } = await watched([], { read: hanging, timeout: 1001, clock });
    expect(kinds).toEqual(['code', 'timeout']);
  });

  it('gives a newly connected device time to start', async () => {
    const late = await watched([stopped(), stopped(), withCode('one'), ready]);
    expect(late.kinds).toEqual(['starting', 'code', 'scanned', 'connected']);
    const never = await watched([stopped('gone')]);
    expect(never.kinds).toEqual(['starting', 'failed']);
  });

  it('waits until someone connects a stopped device if allowed', async () => {
    const { kinds } = await watched([stopped('gone'), stopped('gone'), withCode('one'), ready], {
      justConnected: false,
      startTimeoutMs: Number.POSITIVE_INFINITY,
    });
    expect(kinds).toEqual(['stopped', 'code', 'scanned', 'connected']);
  });

  it('ends on the timeout, and never waits beyond it', async () => {
    const { events, waits } = await watched([withCode('one')], { timeout: 2500 });
    expect(events.at(-1)).toMatchObject({ kind: 'timeout', after: 2500 });
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(2500);
  });

  it('reads more often while a change is expected, and less often while reads fail', async () => {
    expect((await watched([starting, starting, ready])).waits.slice(0, 2)).toEqual([500, 500]);
    expect((await watched([withCode('one'), withCode('one'), ready])).waits.slice(0, 2)).toEqual([
      1000, 1000,
    ]);
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
    expect(kinds).toEqual(['code', 'unreachable', 'code', 'scanned', 'connected']);
    expect(waits.slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 1000]);
  });

  it('reports the problem of an unreadable picture once', async () => {
    const gif = { ...starting, qr_code: `data:image/gif;base64,${Buffer.from('GIF89a').toString('base64')}` };
    const { events } = await watched([gif, gif, { ...starting, qr_code: 'https://example.com/qr' }, ready]);
    expect(events).toMatchObject([
      { kind: 'unreadable', problem: 'is a GIF, not a PNG', picture: Buffer.from('GIF89a') },
      { kind: 'unreadable', problem: 'is not a base64 data URL', picture: undefined },
      { kind: 'scanned' },
      { kind: 'connected' },
    ]);
  });

  it('ends with the failure if reading cannot succeed, and with the reason if it is aborted', async () => {
    const gone = new Failure('notFound', 'There is no such device.');
    await expect(watched([withCode('one'), gone])).rejects.toBe(gone);
    const abort = new AbortController();
    const interrupted = new Failure('interrupted', 'Interrupted.');
    abort.abort(interrupted);
    await expect(watched([withCode('one')], { signal: abort.signal })).rejects.toBe(interrupted);
  });
});
