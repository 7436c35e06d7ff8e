import { existsSync, linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { CodeOutputs, PictureFile } from '../../src/pairing/code-outputs.ts';
import type { PairingEvent } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { dataUrl, drawCode } from '../../src/sandbox/code-picture.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { testSession } from '../commands/device/session.ts';
import { linesOf } from '../commands/device/support.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { drawCodeIn } from '../support/code-styles.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Reaction, refusal, startScriptedServer, success } from '../support/scripted-server.ts';
import { ask } from './web-page-support.ts';

// A scripted server checks at each call whether the file exists, before it answers; the sandbox's log is written too
// late for that.

const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const device = `/api/openapi/v1/devices/${id}`;
const stopped = { device_id: id, status: 'stopped', connected: false, logged_in: false };
const started = { ...stopped, status: 'started' };
const showing = (code: string) => ({ ...started, qr_code: dataUrl(drawCode(code)) });

/** The responses to a status read, by the names that the tests use. */
const answers = {
  stopped: success(stopped),
  expired: success({ ...stopped, last_disconnect_reason: 'QR refs attempts ended' }),
  'shows one': success(showing('one')),
  'shows one, drawn otherwise': success({
    ...started,
    qr_code: dataUrl(drawCodeIn('inverted', 'one')),
  }),
  'shows two': success(showing('two')),
  'shows three': success(showing('three')),
  scanned: success({ ...started, connected: true }),
  ready: success({ ...started, connected: true, logged_in: true, phone_number: '5511912345678' }),
  busy: refusal(503, 'INTERNAL_ERROR', 'Back soon.'),
  interrupted: success(showing('one')),
  refused: refusal(403, 'FORBIDDEN', 'Not yours.'),
} as const satisfies Readonly<Record<string, Reaction>>;

type Answer = keyof typeof answers;

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

/**
 * Pairs a device with `--qr-file`. Each connect call starts the next list of answers; the last one of each list
 * repeats. Returns the rows, and for each answer the content of the file at the next call.
 */
async function paired(connections: readonly (readonly Answer[])[], ...more: readonly string[]) {
  const file = join(temporaryDirectory(), 'pair.png');
  const held = (): string => {
    if (!existsSync(file)) return 'nothing';
    const picture = readFileSync(file);
    const codes = ['one', 'two', 'three'].filter((code) => picture.equals(drawCode(code)));
    return codes[0] ?? 'something else';
  };
  const moments: string[] = [];
  let begun = 0;
  let left: Answer[] = ['stopped'];
  let last: Answer | undefined;
  const note = (): void => {
    if (last !== undefined) moments.push(`${last}: ${held()}`);
    last = undefined;
  };
  const stop = new AbortController();
  const server = await startScriptedServer();
  server.on(`GET ${device}/status`, () => {
    note();
    last = (left.length > 1 ? left.shift() : left[0]) ?? 'stopped';
    if (last === 'interrupted') stop.abort(new Failure('interrupted', 'Interrupted.'));
    return answers[last];
  });
  server.on(`POST ${device}/connect`, () => {
    note();
    left = [...(connections[begun] ?? [])];
    begun += 1;
    return success({ device_id: id, status: 'started', message: 'ok' });
  });
  const ran = await botctl(
    ['device', 'connect', id, '--wait', '--qr-file', file, '-o', 'ndjson', '--retries', '0', ...more],
    {
      env: {
        BOTCTL_BASE_URL: server.url,
        BOTCTL_KEY_ID: 'key-1',
        BOTCTL_KEY_SECRET: 'sk-test-secret-42',
        BOTCTL_CONFIG_DIR: temporaryDirectory(),
      },
      clock: new FakeClock(),
      signal: stop.signal,
    },
  );
  note();
  const rows = linesOf(ran.stdout);
  return { ...ran, rows, events: rows.map(({ event }) => event), moments, held: held() };
}

describe('a code that the service returns again in the next round', () => {
  it.each(['shows one', 'shows one, drawn otherwise'] as const)(
    'is not new, in no row and no file, if it %s',
    async (again) => {
      const { exitCode, rows, events, moments } = await paired([
        ['shows one', 'expired'],
        [again, 'shows two', 'ready'],
      ]);
      expect(exitCode).toBe(0);
      expect(events).toEqual(['code', 'renewing', 'starting', 'code', 'scanned', 'connected']);
      expect([rows[0], rows[3]]).toMatchObject([
        { number: 1, round: 1 },
        { number: 1, round: 2, age: 0 },
      ]);
      expect(rows[3]?.fingerprint).not.toBe(rows[0]?.fingerprint);
      expect(moments).toContain(`${again}: nothing`);
      expect(moments).toContain('shows two: two');
    },
  );

  it('is not reported again', async () => {
    const { rows } = await paired([
      ['shows one', 'shows two', 'expired'],
      ['shows two', 'shows three', 'expired'],
      ['shows three', 'shows one', 'ready'],
    ]);
    const codes = rows.filter(({ event }) => event === 'code');
    expect(codes.map(({ number, round }) => [number, round])).toEqual([
      [1, 1],
      [2, 1],
      [1, 2],
      [1, 3],
    ]);
  });
});

describe('the file of --qr-file', () => {
  it('contains the current code, and none between rounds, after the scan and at the end', async () => {
    const { exitCode, moments, held } = await paired([
      ['shows one', 'shows two', 'expired'],
      ['shows three', 'scanned', 'ready'],
    ]);
    expect(exitCode).toBe(0);
    expect(moments.filter((moment, index) => moment !== moments[index - 1])).toEqual([
      'stopped: nothing',
      'shows one: one',
      'shows two: two',
      'expired: nothing',
      'shows three: three',
      'scanned: nothing',
      'ready: nothing',
    ]);
    expect(held).toBe('nothing');
  });

  it('keeps its code while the service is unreachable', async () => {
    const { moments, events } = await paired([['shows one', 'busy', 'shows one', 'ready']]);
    expect(events).toEqual(['code', 'unreachable', 'code', 'scanned', 'connected']);
    expect(moments.slice(1, 4)).toEqual(['shows one: one', 'busy: one', 'shows one: one']);
  });

  it.each([
    ['the service refuses', ['shows one', 'refused'], [], 6],
    ['a person interrupts it', ['shows one', 'interrupted'], [], 130],
    ['all codes have expired', ['shows one', 'expired'], [], 9],
    ['the time is up', ['shows one'], ['--timeout', '5s'], 9],
  ] as const)('is removed if %s', async (_what, connection, more, exit) => {
    const { exitCode, moments, held, stderr } = await paired(
      [connection, connection, connection, connection],
      ...more,
    );
    expect(exitCode, stderr).toBe(exit);
    if (exit === 6) expect(stderr).toContain('botctl doctor');
    expect(moments).toContain('shows one: one');
    expect(held).toBe('nothing');
  });
});

describe('a picture file', () => {
  it('does not remove another file that got the inode of a removed picture', () => {
    const path = join(temporaryDirectory(), 'pair.png');
    const file = new PictureFile(path);
    file.write(Buffer.from('a code'));
    linkSync(path, `${path}.kept`);
    file.clear();
    expect(existsSync(path)).toBe(false);
    linkSync(`${path}.kept`, path);
    writeFileSync(path, 'other data');
    file.remove();
    expect(readFileSync(path, 'utf8')).toBe('other data');
  });
});

describe('the places that show a code', () => {
  const payload = new Secret('a code');
  const read = { payload, fingerprint: 'f', picture: Buffer.from('a picture') };
  const code: PairingEvent = {
    kind: 'code',
    at: 0,
    code: read,
    number: 1,
    since: 0,
    life: undefined,
    round: 1,
  };
  const opened = (file?: PictureFile) => {
    const { session } = testSession('http://127.0.0.1:1', new AbortController().signal, true);
    const places = new CodeOutputs(
      session,
      { id, name: undefined, label: 'Reception', word: 'Reception' },
      file,
    );
    onTestFinished(() => void places.close());
    return places;
  };

  it('name no file without a picture', async () => {
    const places = opened(new PictureFile(join(temporaryDirectory(), 'pair.png')));
    await places.show(code);
    expect(existsSync(await places.file())).toBe(true);
    await places.show({ kind: 'scanned', at: 0, since: 0 });
    await expect(places.file()).rejects.toThrow('There is no code at the moment.');
  });

  it('show the code on a page that is opened while the service does not respond', async () => {
    const places = opened();
    await places.show(code);
    await places.show({ kind: 'unreachable', at: 0, problem: 'No answer.' });
    const { body } = await ask((await places.page()).url);
    expect(body).toContain('Scan this code');
  });
});
