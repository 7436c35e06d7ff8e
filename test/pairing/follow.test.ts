import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pairingFields } from '../../src/commands/device/fields.ts';
import { Failure } from '../../src/lib/errors.ts';
import type { JsonObject } from '../../src/lib/json-object.ts';
import type { Row } from '../../src/output/fields.ts';
import { present } from '../../src/output/present.ts';
import { alreadyConnected } from '../../src/pairing/already-connected.ts';
import { PictureFile } from '../../src/pairing/code-outputs.ts';
import { saveFirstCode } from '../../src/pairing/first-code.ts';
import { type FollowOptions, follow } from '../../src/pairing/follow.ts';
import type { Device } from '../../src/resources/devices/device.ts';
import { deviceStatus } from '../../src/resources/devices/device-status.ts';
import { dataUrl, drawCode } from '../../src/sandbox/code-picture.ts';
import { failureOf } from '../client/failure-of.ts';
import { testSession } from '../commands/device/session.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { type Reaction, startScriptedServer, success } from '../support/scripted-server.ts';

// A scripted server shows a device in sequences of states that no device of the sandbox goes through; with faults, each
// answer would have to be written by hand, up to ten for a test.

const web = vi.hoisted(() => ({ refusal: undefined as Error | undefined }));
vi.mock('../../src/pairing/web-page/page-server.ts', async (original) => {
  const real = await original<typeof import('../../src/pairing/web-page/page-server.ts')>();
  const openWebPage: typeof real.openWebPage = async (options) => {
    if (web.refusal) throw web.refusal;
    return real.openWebPage(options);
  };
  return { ...real, openWebPage };
});

beforeEach(() => {
  web.refusal = undefined;
});

const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const device: Device = { id, name: 'Reception', label: 'Reception', word: 'Reception' };
const starting: JsonObject = { device_id: id, status: 'started', connected: false, logged_in: false };
const offline: JsonObject = { ...starting, logged_in: true };
const nameless: JsonObject = { ...starting, connected: true, logged_in: true };
const ready: JsonObject = { ...nameless, phone_number: '5511912345678' };
const withCode = (text: string): JsonObject => ({ ...starting, qr_code: dataUrl(drawCode(text)) });
const busy = (seconds: number): Reaction => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: { success: false, error: 'Slow down.', code: 'RATE_LIMITED', details: null },
});

type Step = JsonObject | Reaction;
const isView = (step: Step): step is JsonObject => typeof step === 'object' && 'device_id' in step;

async function service(steps: readonly Step[], terminal = false, stop = new AbortController()) {
  const server = await startScriptedServer();
  const reactions = steps.map((step) => (isView(step) ? success(step) : step));
  server.on(`GET /api/openapi/v1/devices/${id}/status`, ...reactions);
  return { ...testSession(server.url, stop.signal, terminal), stop };
}

const usual: FollowOptions = {
  timeout: 60_000,
  justConnected: true,
  file: undefined,
  revealQr: false,
  rounds: 0,
};

/** Follows a pairing to its end. */
async function followed(
  { session }: Awaited<ReturnType<typeof service>>,
  options: Partial<FollowOptions> = {},
  onRow: (row: Row) => void = () => undefined,
) {
  const rows: Row[] = [];
  const events = await follow(session, device, { ...usual, ...options });
  if (!(Symbol.asyncIterator in events)) throw new Error('no events');
  let failure: Failure | undefined;
  try {
    for await (const row of events as AsyncIterable<Row>) {
      rows.push(row);
      onRow(row);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failure = error;
  }
  return { rows, failure, last: rows.at(-1), events: rows.map(({ event }) => event) };
}

const expected = { digits: '5511912345678', shown: '+55 11 91234-5678' };

describe('a pairing without a scan', () => {
  const stopped: JsonObject = {
    ...starting,
    status: 'stopped',
    last_disconnect_reason: 'QR refs attempts ended',
  };

  it('reports that', async () => {
    const { failure } = await followed(await service([withCode('one'), withCode('two'), stopped]));
    expect(failure?.message).toBe('Reception was not paired. All codes expired before a phone scanned one.');
  });

  it('prints nothing between the events, however long it takes', async () => {
    const place = await service([withCode('one'), stopped]);
    // Without a terminal, progress would print a line of its own.
    const progress = vi.spyOn(place.session.terminal, 'progress');
    const { events } = await followed(place);
    expect(events).toEqual(['code', 'failed']);
    expect(progress).not.toHaveBeenCalled();
    expect(place.said()).toBe('');
  });
});

describe('a service that returns no code', () => {
  const limit = 'rate-overlimit: cannot link new devices at this time';
  it.each([
    [
      { message: limit },
      'limited',
      'Further attempts to pair it are refused for now',
      'botctl device status Reception',
    ],
    [
      { status: 'FAILED', message: 'proxy down' },
      'unknown',
      'calls it "FAILED"',
      'botctl device repair Reception',
    ],
  ])('is quoted in the last event and in the error: %j', async (members, because, words, next) => {
    const { failure, last } = await followed(await service([{ ...starting, ...members }]), { rounds: 3 });
    expect(last).toMatchObject({ event: 'failed', because, message: members.message });
    expect(failure?.message).toContain(words);
    expect(failure?.message).toContain(`The service says: ${members.message}`);
    expect(String(failure?.hint)).toContain(next);
  });
});

describe('a service that temporarily does not have the device', () => {
  const gone: Reaction = {
    status: 404,
    body: { success: false, error: 'No.', code: 'NOT_FOUND', details: null },
  };

  it('is asked three times more, which does not end the pairing', async () => {
    const { events, failure } = await followed(
      await service([gone, withCode('one'), gone, gone, gone, ready]),
    );
    expect(events).toEqual(['unreachable', 'code', 'unreachable', 'scanned', 'connected']);
    expect(failure).toBeUndefined();
  });

  it('ends it after that, which is no reason to forget the device', async () => {
    const { last, failure } = await followed(await service([withCode('one'), gone]));
    expect(last).toMatchObject({ event: 'failed', because: 'error' });
    expect(failure).toMatchObject({ kind: 'notFound' });
    expect(String(failure?.hint)).not.toContain('forget');
  });
});

describe('a screen with stdout in a pipe', () => {
  it('does not share the terminal with the events: they are printed once the screen is closed', async () => {
    const place = await service([withCode('one'), withCode('two'), ready], true);
    const leave = '\x1b[?1049l';
    const seenAt: boolean[] = [];
    const { events } = await followed(place, {}, () => seenAt.push(place.said().includes(leave)));
    expect(events).toEqual(['code', 'code', 'scanned', 'connected']);
    expect(seenAt).toEqual([true, true, true, true]);
    const failing = await followed(
      await service([withCode('one'), { ...starting, status: 'stopped' }], true),
    );
    expect(failing.events).toEqual(['code', 'failed']);
    expect(failing.failure).toMatchObject({ kind: 'notReached' });
  });
});

describe('an event without a terminal', () => {
  it('is written before the work continues, which may ask about it', async () => {
    const place = await service([withCode('one'), ready], true);
    let written = '';
    const stdout = new PassThrough().on('data', (chunk) => (written += String(chunk)));
    const before: string[] = [];
    const asking = {
      ...place.session,
      prompts: {
        ...place.session.prompts,
        available: true,
        yes: async () => {
          before.push(written);
          return false;
        },
      },
    };
    const other = { digits: '14155550100', shown: '+14155550100' };
    const rows = await follow(asking, device, { ...usual, expect: other });
    const { io, options } = place.session;
    const shape = { kind: 'events', fields: pairingFields } as const;
    const target = {
      ...place.session,
      io: { ...io, stdout },
      options: { ...options, output: 'ndjson' },
    } as const;
    await expect(present(rows, shape, target)).rejects.toMatchObject({ kind: 'otherNumber' });
    expect(before).toEqual([written]);
    expect(written).toContain('"event":"connected"');
  });
});

describe('a scan that does not hold', () => {
  it('adds an event and a history entry, and the pairing continues', async () => {
    const restart = {
      last_disconnect_reason: '515 restart required',
      last_disconnect_at: '2026-01-01T00:00:05Z',
    };
    const place = await service([
      withCode('one'),
      { ...offline, ...restart },
      { ...withCode('two'), ...restart },
      ready,
    ]);
    const { rows, events } = await followed(place);
    expect(events).toEqual(['code', 'scanned', 'scan_failed', 'code', 'scanned', 'connected']);
    expect(rows[2]).toMatchObject({ state: 'waiting', reason: '515 restart required', scans: 1 });
    const history = (await place.session.history.list(id)).map(({ event, reason }) => [event, reason]);
    expect(history).toContainEqual(['scan_failed', '515 restart required']);
  });
});

describe('a pairing that is interrupted', () => {
  it.each([
    ['interrupted', 130],
    ['terminated', 143],
  ] as const)('ends with an event when it is %s, and reports what remains', async (kind, exitCode) => {
    const place = await service([withCode('one')]);
    const { failure, last, events } = await followed(place, {}, ({ event }) => {
      if (event === 'code') place.stop.abort(new Failure(kind, 'Ended.'));
    });
    expect(events).toEqual(['code', 'cancelled']);
    expect(last).toMatchObject({ device_id: id, name: 'Reception', reason: kind, took: 0 });
    expect(failure).toMatchObject({ kind, exitCode });
    expect(failure?.message).toMatch(/^\w+\. Reception waits for a phone until its codes/);
    expect(String(failure?.hint)).toContain('botctl device watch Reception');
  });

  it('ends with an event when the user quits with q, and reports the same', async () => {
    const place = await service([withCode('one')], true);
    const { failure, last } = await followed(place, { qr: false, timeout: undefined }, ({ event }) => {
      if (event === 'code') place.type('q\n');
    });
    expect(last).toMatchObject({ event: 'cancelled', reason: 'left' });
    expect(failure).toMatchObject({ kind: 'declined', exitCode: 3 });
    expect(failure?.message).toContain('Reception waits for a phone until its codes expire.');
    expect(String(failure?.hint)).toContain('botctl device watch Reception');
  });

  it('reports that the device is connected if only its number was awaited', async () => {
    const stop = new AbortController();
    const paired = Array.from({ length: 6 }, () => nameless);
    const leave = () => stop.abort(new Failure('interrupted', 'Interrupted.'));
    const place = await service([withCode('one'), offline, ...paired, leave], false, stop);
    const { failure, last } = await followed(place, { expect: expected });
    expect(last).toMatchObject({ event: 'connected', phone_number: null, matches: null });
    expect(failure).toMatchObject({ kind: 'interrupted' });
    expect(failure?.message).toContain('Reception is connected; its number was not compared.');
  });

  it('ends with an event even if the file cannot be written any more', async () => {
    const file = new PictureFile(join(temporaryDirectory(), 'pair.png'));
    const place = await service([withCode('one'), withCode('two')]);
    vi.spyOn(file, 'write')
      .mockImplementationOnce(() => undefined)
      .mockImplementation(() => {
        throw new Failure('usage', 'The disk is full.');
      });
    const { failure, last } = await followed(place, { file });
    expect(last).toMatchObject({ event: 'failed', because: 'error', reason: 'The disk is full.' });
    expect(failure).toMatchObject({ kind: 'usage' });
  });
});

describe('a page that cannot be opened', () => {
  const refusal = new Failure('unexpected', "The page can't be opened on 127.0.0.1: no ports.");

  it('prints a note, and the pairing continues', async () => {
    web.refusal = refusal;
    const place = await service([withCode('one'), ready]);
    const { failure, events } = await followed(place, { qrWeb: true });
    expect(failure).toBeUndefined();
    expect(events).toEqual(['code', 'scanned', 'connected']);
    expect(place.said()).toContain(refusal.message);
    expect(place.said()).toContain('--qr-file FILE');
  });

  it('is a note on the screen', async () => {
    web.refusal = refusal;
    const place = await service([withCode('one'), ready], true);
    await followed(place, { qrWeb: true });
    const [screen = ''] = place.said().split('\x1b[?1049l');
    expect(screen).toContain('no ports');
  });

  it('is a note after a key, too', async () => {
    web.refusal = refusal;
    const place = await service([withCode('one')], true);
    const { failure } = await followed(place, { qr: false, timeout: undefined }, ({ event }) => {
      if (event !== 'code') return;
      place.type('w\n');
      void eventually(() => place.said().includes('no ports')).then(() => place.type('q\n'));
    });
    expect(failure).toMatchObject({ kind: 'declined' });
    expect(place.said()).toContain(refusal.message);
  });
});

describe('the paired number', () => {
  it('is awaited, as long as the service asks', async () => {
    const place = await service([withCode('one'), offline, nameless, busy(20), nameless, ready]);
    const { last, failure } = await followed(place, { expect: expected });
    expect(last).toMatchObject({ event: 'connected', matches: true });
    expect(failure).toBeUndefined();
    expect(place.clock.waits).toContain(20_000);
  });

  it('is not awaited beyond --timeout', async () => {
    const place = await service([withCode('one'), offline, nameless]);
    const begun = place.clock.now();
    const { last, failure } = await followed(place, { expect: expected, timeout: 3000 });
    expect(last).toMatchObject({ event: 'connected', matches: null });
    expect(failure).toMatchObject({ kind: 'notReached' });
    expect(place.clock.now() - begun).toBe(3000);
  });

  it('is awaited if the device was connected before, and no success is reported before it is compared', async () => {
    const wanted = { asEvents: true, expect: expected, timeout: 60_000 };
    const rowsOf = async (place: Awaited<ReturnType<typeof service>>) => {
      const rows: Row[] = [];
      const result = await alreadyConnected(place.session, device, deviceStatus(nameless), wanted);
      const read = async () => {
        for await (const row of result as AsyncIterable<Row>) rows.push(row);
      };
      return {
        rows,
        failure: await read().then(
          () => undefined,
          (error: unknown) => error,
        ),
      };
    };
    const late = await service([nameless, ready]);
    expect(await rowsOf(late)).toMatchObject({ rows: [{ matches: true }], failure: undefined });
    expect(late.said()).toContain('Reception is connected as +5511912345678.');
    const other = await service([{ ...nameless, phone_number: '14155550100' }]);
    const wrong = await rowsOf(other);
    expect(wrong).toMatchObject({ rows: [{ matches: false }], failure: { kind: 'otherNumber' } });
    expect(other.said()).not.toContain('is connected');
  });
});

describe('the timeout', () => {
  it('that is zero is reported as reached, with a command that works without a terminal', async () => {
    const { failure, last } = await followed(await service([withCode('one')]), { timeout: 0 });
    expect(last).toMatchObject({ event: 'timeout' });
    expect(failure?.message).toBe('Reception was not paired within 0 s.');
    expect(String(failure?.hint)).toBe(
      'Wait longer, with a longer --timeout: botctl device connect Reception --wait --timeout 30m',
    );
  });

  it('that is reached reports what prevented the pairing', async () => {
    const { failure } = await followed(await service([withCode('one'), busy(3600)]), { timeout: 30_000 });
    expect(failure?.message).toBe(
      'Reception was not paired within 30 s. The service allows no more requests for now (429).',
    );
    const scanned = await followed(await service([withCode('one'), offline]), { timeout: 10_000 });
    expect(scanned.failure?.message).toContain('A phone scanned its code');
  });
});

describe('the first code, without --wait', () => {
  const saved = async (steps: readonly Step[], fresh = false) => {
    const place = await service(steps);
    const path = join(temporaryDirectory(), 'pair.png');
    const file = new PictureFile(path);
    const failure = await failureOf(
      saveFirstCode(place.session, device, { file, justConnected: fresh, revealQr: false }),
    );
    return failure;
  };

  it('is not required if the device is paired and reconnects by itself', async () => {
    const failure = await saved([offline]);
    expect(failure).toMatchObject({ kind: 'notReached' });
    expect(failure.message).toContain('it reconnects automatically');
    expect(`${failure.message} ${failure.hint}`).not.toContain('repair');
    expect(String(failure.hint)).toContain('botctl device watch Reception');
  });

  it('is not required if a phone has just scanned it', async () => {
    const failure = await saved([{ ...starting, connected: true }]);
    expect(failure.message).toContain('its code was scanned just now');
    expect(`${failure.message} ${failure.hint}`).not.toContain('repair');
  });

  it('is missing if the device is started and shows none', async () => {
    const failure = await saved([starting], true);
    expect(failure.message).toBe('Reception shows no code, although it is started.');
    expect(String(failure.hint)).toContain('botctl device repair Reception');
  });

  it('is unknown if the service is unreachable', async () => {
    const failure = await saved([busy(3600)]);
    expect(failure.message).toContain('(429)');
  });
});
