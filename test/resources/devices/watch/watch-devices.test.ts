import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/client/answer.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { Failure } from '../../../../src/lib/errors.ts';
import type { JsonObject } from '../../../../src/lib/json-object.ts';
import type { Device } from '../../../../src/resources/devices/device.ts';
import { deviceStatus } from '../../../../src/resources/devices/device-status.ts';
import {
  type ConfirmedChange,
  paceOf,
  type WatchEvent,
  type WatchOptions,
  watchDevices,
} from '../../../../src/resources/devices/watch/watch-devices.ts';

import { FakeClock } from '../../../support/fake-clock.ts';

const view = (members: Record<string, unknown>): JsonObject => ({ device_id: 'x', ...members });
const stopped = view({
  status: 'stopped',
  connected: false,
  logged_in: false,
  last_disconnect_reason: 'done',
});
const starting = view({ status: 'started', connected: false, logged_in: false });
const waiting = view({ ...starting, qr_code: 'data:image/png;base64,AAAA' });
const offline = view({ ...starting, logged_in: true });
const ready = view({ ...starting, connected: true, logged_in: true, phone_number: '5511912345678' });
const network = new Failure('network', 'No answer.');
const gone = new Failure('notFound', 'No such device.');

type Step = JsonObject | Failure;
type Plan = Readonly<Record<string, readonly Step[]>>;

/** Watches devices whose status reads follow these steps; the last step of each repeats. */
async function watched(plan: Plan, options: Partial<WatchOptions> = {}, random = 0) {
  const clock = new FakeClock({ random });
  const begun = clock.now();
  const reads: { readonly name: string; readonly at: number }[] = [];
  const devices = Object.keys(plan).map((name): Device => ({ id: name, name, label: name, word: name }));
  const events: (WatchEvent | ConfirmedChange)[] = [];
  let most = 0;
  let open = 0;
  const watching = watchDevices(devices, {
    async read({ id }) {
      const steps = plan[id] ?? [];
      const step = steps[Math.min(reads.filter(({ name }) => name === id).length, steps.length - 1)];
      reads.push({ name: id, at: clock.now() - begun });
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      if (step === undefined || step instanceof Failure) throw step ?? new Error('no step');
      return deviceStatus(step);
    },
    clock,
    signal: new AbortController().signal,
    until: 'ready',
    timeout: 60_000,
    maxRps: undefined,
    ...options,
  });
  let thrown: unknown;
  try {
    for await (const event of watching) events.push(event);
  } catch (error) {
    thrown = error;
  }
  const told = events.map((event) => {
    if (event.kind === 'state') return `${event.device.label} ${event.diagnosis.state}`;
    if (event.kind === 'changed') return `${event.device.label} ${event.was} > ${event.diagnosis.state}`;
    return event.kind === 'unreachable' ? `${event.device.label} unreachable` : event.kind;
  });
  const pauses = (name: string): readonly number[] => {
    const times = reads.filter((read) => read.name === name).map(({ at }) => at);
    return times.slice(1).map((at, index) => at - (times[index] ?? 0));
  };
  return { events, told, thrown, reads, pauses, most, took: clock.now() - begun };
}

describe('watching devices', () => {
  it('reports each change of each device once, and ends when all are ready', async () => {
    const { told, events } = await watched({
      Desk: [waiting, waiting, offline, ready],
      Bar: [stopped, starting, waiting, ready],
      Hall: [ready],
    });
    expect(told.filter((line) => line.startsWith('Desk'))).toEqual([
      'Desk waiting',
      'Desk reconnecting',
      'Desk ready',
    ]);
    expect(told.filter((line) => line.startsWith('Bar'))).toEqual([
      'Bar stopped',
      'Bar starting',
      'Bar waiting',
      'Bar ready',
    ]);
    expect(told.filter((line) => line.startsWith('Hall'))).toEqual(['Hall ready']);
    expect(told.at(-1)).toBe('reached');
    const changes = events.filter((event) => event.kind === 'state' && event.device.label === 'Desk');
    expect(changes).toMatchObject([{ was: undefined }, { was: 'waiting' }, { was: 'reconnecting' }]);
  });

  it('does not treat a session that is up before a restart as ready', async () => {
    const { told } = await watched({ Desk: [waiting, ready, offline, offline, ready] });
    expect(told).toEqual(['Desk waiting', 'Desk ready', 'Desk reconnecting', 'Desk ready', 'reached']);
    const { reads } = await watched({ Desk: [ready] });
    expect(reads).toHaveLength(1);
  });

  it.each([
    ['stopped', { Desk: [ready, stopped] }, 'reached'],
    ['stopped', { Desk: [ready, offline] }, 'timeout'],
    ['lost', { Desk: [ready, offline, waiting] }, 'reached'],
    ['lost', { Desk: [waiting] }, 'timeout'],
    ['lost', { Desk: [stopped], Bar: [view({ ...offline, last_disconnect_reason: '440' })] }, 'reached'],
    ['lost', { Desk: [ready, view({ ...stopped, last_disconnect_reason: '401' })] }, 'reached'],
    ['ready', { Desk: [ready], Bar: [waiting] }, 'timeout'],
  ] as const)('until %s ends for %j with %s', async (until, plan, end) => {
    const { told, events } = await watched(plan, { until });
    expect(told.at(-1)).toBe(end);
    if (end === 'timeout') expect(events.at(-1)).toMatchObject({ after: 60_000 });
  });

  it('names the missing devices on a timeout', async () => {
    const { events } = await watched({ Desk: [ready], Bar: [waiting], Hall: [network] });
    expect(events.at(-1)).toMatchObject({ kind: 'timeout', missing: [{ label: 'Bar' }, { label: 'Hall' }] });
  });

  it('reads each device once, however short the timeout is', async () => {
    const plan = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`d${index}`, [waiting]]));
    const { told, reads, most } = await watched(plan, { timeout: 0 });
    expect(reads).toHaveLength(9);
    expect(most).toBeLessThanOrEqual(4);
    expect(told.at(-1)).toBe('timeout');
  });

  it('continues after a failed read, reports it once, and reads less and less often', async () => {
    const { told, pauses } = await watched({ Desk: [waiting, network, network, network, waiting, ready] });
    expect(told).toEqual(['Desk waiting', 'Desk unreachable', 'Desk waiting', 'Desk ready', 'reached']);
    expect(pauses('Desk').slice(1, 4)).toEqual([2000, 4000, 8000]);
  });

  it('does not report that a device exists that has not been read since', async () => {
    const unread = await watched({ Desk: [waiting, ready, network] });
    expect(unread.told).toEqual(['Desk waiting', 'Desk ready', 'Desk unreachable', 'timeout']);
    expect(unread.events.at(-1)).toMatchObject({ missing: [{ label: 'Desk' }] });
    const plan = { Desk: [stopped, network, network, stopped], Bar: [ready, stopped] };
    const { told } = await watched(plan, { until: 'stopped' });
    expect(told.slice(-4)).toEqual(['Desk unreachable', 'Bar stopped', 'Desk stopped', 'reached']);
  });

  it('retries a device that existed before three times, and reports it missing in between', async () => {
    const lapse = await watched({ Desk: [waiting, gone, gone, gone, ready] });
    expect(lapse.told).toEqual(['Desk waiting', 'Desk unreachable', 'Desk ready', 'reached']);
    const lost = await watched({ Desk: [waiting, gone] });
    expect(lost.reads).toHaveLength(5);
    expect(lost.events.at(-2)).toMatchObject({ kind: 'unreachable', isGone: true });
    expect(lost.events.at(-1)).toMatchObject({ kind: 'failed', because: 'not_found' });
  });

  it('does not retry a device that is gone, and ends if only such are missing', async () => {
    const { told, events, reads } = await watched({ Desk: [gone], Bar: [waiting, ready] });
    expect(told.filter((line) => line.startsWith('Desk'))).toEqual(['Desk unreachable']);
    expect(reads.filter(({ name }) => name === 'Desk')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      kind: 'failed',
      because: 'not_found',
      missing: [{ label: 'Desk' }],
    });
    const all = await watched({ Desk: [gone] }, { until: undefined, timeout: undefined });
    expect(all.told).toEqual(['Desk unreachable', 'failed']);
  });

  it('ends if the service rejects the key', async () => {
    const failure = new Failure('authentication', 'Wrong key.');
    const { told, thrown } = await watched({ Desk: [waiting, failure] });
    expect(told).toEqual(['Desk waiting', 'failed']);
    expect(thrown).toBe(failure);
  });

  it('reads often while a code is shown, and rarely if nothing changes', async () => {
    const long = { until: undefined, timeout: 20 * 60_000 };
    const lively = (await watched({ Desk: [waiting] }, long)).pauses('Desk');
    expect(Math.max(...lively)).toBeLessThanOrEqual(2000);
    const steady = (await watched({ Desk: [ready] }, long)).pauses('Desk');
    expect(steady[0]).toBe(1000);
    expect(steady.at(-2)).toBe(30_000);
    expect(steady.toSorted((a, b) => a - b).slice(0, -1)).toEqual(steady.slice(0, -1));
  });

  it('spreads reads by up to a fifth', async () => {
    const early = await watched({ Desk: [waiting] }, { timeout: 5000 }, 0);
    expect(early.pauses('Desk')[0]).toBe(1000);
    const late = await watched({ Desk: [waiting] }, { timeout: 5000 }, 0.999);
    expect(late.pauses('Desk')[0]).toBe(1200);
  });

  it('stays within the requested rate', async () => {
    const plan = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`d${index}`, [waiting]]));
    const { reads } = await watched(plan, { maxRps: 2, timeout: 60_000 });
    expect(reads.length).toBeLessThanOrEqual(20 + 2 * 60 + 20);
    expect(reads.length).toBeGreaterThan(100);
  });

  it('delays every read if the service asks for fewer, as long as it asks', async () => {
    const cause = new ServiceError('rateLimited', 'slow down', 429, { retryAfter: '20', isEnvelope: true });
    const limited = new Failure('rateLimited', 'Slow down.', { cause });
    const { reads, told } = await watched({ Desk: [limited, waiting], Bar: [waiting], Hall: [waiting] });
    const second = reads.filter(({ at }) => at > 0);
    expect(Math.min(...second.map(({ at }) => at))).toBeGreaterThanOrEqual(20_000);
    expect(told).toContain('Desk unreachable');
    const unsaid = new Failure('rateLimited', 'Slow down.');
    const together = await watched({
      Desk: [unsaid, waiting],
      Bar: [unsaid, waiting],
      Hall: [unsaid, waiting],
    });
    const again = together.reads.filter(({ at }) => at > 0);
    expect(Math.min(...again.map(({ at }) => at))).toBeLessThan(4000);
    const doubled = await watched({ Desk: [unsaid] }, { timeout: 120_000 });
    expect(doubled.pauses('Desk').slice(0, 4)).toEqual([2000, 4000, 8000, 16_000]);
  });

  it('watches more devices than the listener limit of Node.js, without a warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): number => warnings.push(warning);
    process.on('warning', note);
    try {
      const names = Array.from({ length: 30 }, (_, index) => `D${index}`);
      const { events } = await watched(Object.fromEntries(names.map((name) => [name, [stopped, ready]])));
      expect(events.at(-1)?.kind).toBe('reached');
      // Warnings are emitted in a later round of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', note);
    }
    expect(warnings).toEqual([]);
  });

  it('ends with the reason when it is interrupted, during a wait and during a read', async () => {
    const stop = new AbortController();
    const reason = new Failure('interrupted', 'Interrupted.');
    const { thrown } = await watched(
      { Desk: [waiting] },
      {
        signal: stop.signal,
        clock: {
          ...systemClock,
          sleep: (_milliseconds, signal) =>
            new Promise((_resolve, reject) => {
              signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
              stop.abort(reason);
            }),
        },
      },
    );
    expect(thrown).toBe(reason);
    const hanging = new AbortController();
    const reading = watched(
      { Desk: [] },
      {
        signal: hanging.signal,
        read: (_device, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
      },
    );
    hanging.abort(reason);
    expect((await reading).thrown).toBe(reason);
  });
});

describe('a change that another read has to confirm', () => {
  const confirmed = { until: undefined, confirmMs: 2000, timeout: 30_000 } as const;
  const changes = ({ told }: { told: readonly string[] }) => told.filter((line) => line.includes(' > '));

  it('is reported 2 s after it was seen, and the first state is no change', async () => {
    const seen = await watched({ a: [ready, ready, stopped] }, confirmed);
    expect(changes(seen)).toEqual(['a ready > stopped']);
    const first = seen.events.find((event) => event.kind === 'state' && event.was !== undefined);
    const change = seen.events.find(({ kind }) => kind === 'changed');
    expect((change?.at ?? 0) - (first?.at ?? 0)).toBe(2000);
  });

  it('is dropped if the device returns, and starts from the confirmed state if it changes again', async () => {
    expect(changes(await watched({ a: [ready, offline, ready] }, confirmed))).toEqual([]);
    expect(changes(await watched({ a: [ready, offline, stopped, offline, ready] }, confirmed))).toEqual([]);
    expect(changes(await watched({ a: [ready, offline, stopped] }, confirmed))).toEqual([
      'a ready > stopped',
    ]);
  });

  it('is dropped if the service does not respond, refuses the key for it, or lacks it', async () => {
    const refused = new Failure('rejected', 'Forbidden.');
    for (const failure of [network, refused, gone])
      expect(changes(await watched({ a: [ready, failure] }, confirmed))).toEqual([]);
    expect(changes(await watched({ a: [ready, network, ready] }, confirmed))).toEqual([]);
    expect(changes(await watched({ a: [ready, stopped, network, stopped] }, confirmed))).toEqual([
      'a ready > stopped',
    ]);
  });

  it('is reported before the watch ends, if it is the awaited change', async () => {
    const { told } = await watched({ a: [ready, stopped] }, { ...confirmed, until: 'stopped' });
    expect(told).toEqual(['a ready', 'a stopped', 'a ready > stopped', 'reached']);
    const back = await watched({ a: [ready, stopped, ready] }, { ...confirmed, until: 'stopped' });
    expect(back.told).toEqual(['a ready', 'a stopped', 'a ready', 'reached']);
    const hung = await watched({ a: [ready, stopped, network] }, { ...confirmed, until: 'stopped' });
    expect(hung.told.at(-1)).toBe('reached');
  });

  it('is confirmed in turns if many devices change at once', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `d${at}`);
    const plan = Object.fromEntries(names.map((name) => [name, [ready, stopped]]));
    const seen = await watched(plan, { ...confirmed, timeout: 60_000, maxRps: 4 });
    expect(changes(seen)).toHaveLength(40);
    const times = seen.events.filter(({ kind }) => kind === 'changed').map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(7000);
  });
});

describe('the interval of reads', () => {
  const times = (reads: readonly { readonly name: string; readonly at: number }[]) =>
    reads.filter(({ name }) => name === 'a').map(({ at }) => at);

  it('is as requested, to the millisecond, for any state', async () => {
    const seen = await watched(
      { a: [waiting, ready] },
      { until: undefined, everyMs: 5000, timeout: 20_000 },
      0.9,
    );
    expect(times(seen.reads)).toEqual([0, 5000, 10_000, 15_000, 20_000].slice(0, times(seen.reads).length));
    expect(times(seen.reads).length).toBeGreaterThanOrEqual(4);
  });

  it('is no shorter than the rate limit allows', async () => {
    const plan = Object.fromEntries(
      ['a', ...Array.from({ length: 19 }, (_, at) => `d${at}`)].map((name) => [name, [ready]]),
    );
    const seen = await watched(plan, { until: undefined, everyMs: 1000, maxRps: 2, timeout: 25_000 });
    expect(times(seen.reads)).toEqual([0, 10_000, 20_000]);
  });

  it('is reported as a pace', () => {
    expect(paceOf(1, {})).toEqual({ fromMs: 1000, toMs: 30_000 });
    expect(paceOf(500, {})).toEqual({ fromMs: 100_000, toMs: 100_000 });
    expect(paceOf(500, { everyMs: 10_000, maxRps: 100 })).toEqual({ fromMs: 10_000, toMs: 10_000 });
    expect(paceOf(500, { everyMs: 10_000 })).toEqual({ fromMs: 100_000, toMs: 100_000 });
  });
});

it('suggests the command of a state with the new name of the device', async () => {
  const suggested: (string | undefined)[] = [];
  let onRead = (): void => undefined;
  const isRead = new Promise<void>((resolve) => {
    onRead = resolve;
  });
  await watched(
    { a: [stopped, ready] },
    {
      onShared: () => onRead(),
      async *changes() {
        await isRead;
        yield { added: [], renamed: [{ id: 'a', name: 'B', label: 'B', word: 'B' }], forgotten: new Set() };
      },
      onRenamed: (_device, next) => suggested.push(next?.text()),
    },
  );
  expect(suggested).toEqual(['botctl device connect B']);
});

it('shows a device by its new name', async () => {
  const names: (string | undefined)[] = [];
  const { told } = await watched(
    { a: [stopped, ready] },
    {
      async *changes() {
        const renamed = [{ id: 'a', name: 'Entrance', label: 'Entrance', word: 'Entrance' }];
        yield { added: [], renamed, forgotten: new Set() };
      },
      onRenamed: ({ name }) => names.push(name),
    },
  );
  expect(told).toContain('Entrance ready');
  expect(names).toEqual(['Entrance']);
});
