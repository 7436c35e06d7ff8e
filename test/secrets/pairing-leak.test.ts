import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/commands/branches.ts';
import { isRead, readCode } from '../../src/resources/devices/pairing/code.ts';
import { scanPicture } from '../../src/sandbox/control/client.ts';
import { watchSecrets } from '../../src/secrets/secret.ts';
import { apiOf, homeFor, teamAndBot } from '../commands/device/support.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock, scaledClock } from '../support/fake-clock.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { formsIn } from './encodings.ts';

const sandbox = useSandbox({ phone: 'manual' });
const hasRepair = (await allCommands()).some(({ path }) => path === 'device repair');

/** A device that waits for a phone, and all that whoever has it could take it over with. */
interface Waiting {
  readonly id: string;
  readonly env: Record<string, string>;
  readonly home: string;
  /** Where its home is, and a directory for its files. */
  readonly files: string;
  /** Everything that was secret so far: the token of the device, and of each code all that tells it. */
  secrets(): Promise<ReadonlyMap<string, string>>;
}

async function waitingDevice(): Promise<Waiting> {
  const env = homeFor(sandbox);
  const api = apiOf(sandbox);
  const { teamId, botId } = await teamAndBot(api);
  const { data } = await api.call('createDevice', {
    body: { team_id: teamId, bot_id: botId, name: 'Reception' },
  });
  const { id } = data;
  await botctl(['device', 'add', id, '--name', 'Reception'], { env });
  await api.call('connectDevice', { path: { id } });
  const known = new Map([['the device token', String(data.token)]]);
  const read = new Set<unknown>();
  const secrets = async (): Promise<ReadonlyMap<string, string>> => {
    const url = (await api.call('getDeviceStatus', { path: { id } })).data.qr_code;
    if (typeof url !== 'string' || read.has(url)) return known;
    read.add(url);
    const code = await readCode(url);
    if (!isRead(code)) throw new Error('the sandbox made a code that nobody can read');
    known.set(`payload ${code.fingerprint}`, code.payload.reveal());
    known.set(`data URL ${code.fingerprint}`, url);
    known.set(`picture ${code.fingerprint}`, code.picture.toString('base64'));
    known.set(`bytes ${code.fingerprint}`, code.picture.toString('latin1'));
    return known;
  };
  await secrets();
  return { id, env, home: env.BOTCTL_CONFIG_DIR ?? '', files: temporaryDirectory(), secrets };
}

/** Every place where a secret shows: a stream, or a file below a directory. */
async function leaks(device: Waiting, ran: Ran): Promise<readonly string[]> {
  const places = new Map<string, string>([
    ['stdout', ran.stdout],
    ['stderr', ran.stderr],
  ]);
  for (const directory of [device.home, device.files]) {
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const path = join(directory, name);
      if (statSync(path).isFile()) places.set(name, readFileSync(path, 'latin1'));
    }
  }
  return [...(await device.secrets())].flatMap(([secret, value]) =>
    [...places].flatMap(([place, text]) =>
      formsIn(text, value).map((form) => `${secret}, ${form}, in ${place}`),
    ),
  );
}

/** Command lines about a device that waits. Each is over soon. */
const lines: Readonly<Record<string, readonly string[]>> = {
  connect: ['device', 'connect', 'Reception', '--no-wait'],
  'connect --wait': ['device', 'connect', 'Reception', '--wait', '--timeout', '1ms'],
  status: ['device', 'status', 'Reception'],
  'status --watch': ['device', 'status', 'Reception', '--watch', '--timeout', '1ms'],
  ...(hasRepair && { repair: ['device', 'repair', 'Reception', '--yes'] }),
};
const waits = (name: string): boolean => name.endsWith('--wait') || name.endsWith('--watch');

const situations: Readonly<Record<string, RunOptions>> = {
  'a pipe': {},
  'a terminal': { terminal: { columns: 120, rows: 50 } },
  'a small terminal': { terminal: { columns: 60, rows: 15 } },
  'a dumb terminal': { terminal: true, env: { TERM: 'dumb' } },
  'a terminal that is read aloud': { terminal: true, env: { ACCESSIBLE: '1' } },
  CI: { env: { CI: 'true', SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' } },
};

const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'].flatMap((format) => [
  [format, []] as const,
  [format, ['--debug']] as const,
]);

describe('what pairs a device is nowhere', () => {
  it.each(Object.keys(lines))('in any format of %s', async (name) => {
    const device = await waitingDevice();
    for (const [format, debug] of formats) {
      const args = [...(lines[name] ?? []), '-o', format, ...debug];
      const ran = await botctl(args, { env: device.env });
      expect({ format, debug, leaks: await leaks(device, ran) }).toEqual({ format, debug, leaks: [] });
    }
  });

  it.each(Object.keys(situations))('on %s', async (situation) => {
    const options = situations[situation];
    const device = await waitingDevice();
    const own = Object.entries(lines);
    for (const [name, line] of own) {
      const env = { ...device.env, ...options?.env };
      const answers = { 'Code 1': 'q' };
      const ran = await botctl([...line, '--debug'], { ...options, env, answers });
      expect({ name, leaks: await leaks(device, ran) }).toEqual({ name, leaks: [] });
      expect(ran.stdout).not.toMatch(/[█▀▄]/);
      if (!options?.terminal) expect(ran.stderr).not.toMatch(/[█▀▄]|\x1b/);
    }
  });

  it('where botctl itself fails, and says all that it knows', async () => {
    const device = await waitingDevice();
    for (const [name, line] of Object.entries(lines)) {
      const made = new Set<string>();
      const unwatch = watchSecrets((value) => made.add(value));
      const ran = await botctl([...line, '--debug'], {
        env: device.env,
        onOutput: () => {
          throw new Error(`a bug that knows ${[...made].join(' ')}`);
        },
      }).finally(unwatch);
      expect({ name, leaks: await leaks(device, ran) }).toEqual({ name, leaks: [] });
    }
  });

  it('but in the file that was asked for, as long as somebody waits', async () => {
    const device = await waitingDevice();
    const file = join(device.files, 'pair.png');
    const line = ['device', 'connect', 'Reception', '--wait', '--debug', '--qr-file', file];
    const clock = new FakeClock({ byHand: true });
    const waiting = botctl([...line, '--timeout', '1s'], { env: device.env, clock });
    await eventually(() => existsSync(file));
    const during = await leaks(device, { exitCode: 0, stdout: '', stderr: '' });
    expect(during).toEqual([expect.stringMatching(/^bytes \w+, raw, in pair\.png$/)]);
    // The first look at the device is over: what it waits with now is the clock.
    await eventually(() => clock.waits.length > 0);
    clock.advance(1000);
    const left = await waiting;
    expect(left.exitCode, left.stderr).toBe(9);
    expect(await leaks(device, left)).toEqual([]);

    const paired = botctl(line, { env: device.env, clock: scaledClock() });
    await eventually(() => existsSync(file));
    await scanPicture(sandbox.control, readFileSync(file));
    const ran = await paired;
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await leaks(device, ran)).toEqual([]);
  });

  it('but in the file, the page and the lines that were asked for', async () => {
    const device = await waitingDevice();
    const file = join(device.files, 'pair.png');
    const line = [...(lines['connect --wait'] ?? []), '--no-qr', '--qr-web', '--qr-file', file, '--debug'];
    for (const terminal of [true, false]) {
      const ran = await botctl(line, { env: device.env, terminal });
      expect(ran.stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\//);
      expect(await leaks(device, ran)).toEqual([]);
    }
  });

  it.each(Object.keys(lines).filter(waits))('but in stdout of %s with --reveal-qr', async (name) => {
    const device = await waitingDevice();
    const ran = await botctl([...(lines[name] ?? []), '--reveal-qr', '-o', 'ndjson', '--debug'], {
      env: device.env,
    });
    const found = await leaks(device, ran);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((leak) => !/^payload \w+, .* in stdout$/.test(leak))).toEqual([]);
  });
});

const signals = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const;
it.each(signals)('a picture goes with a process that %s ends', async (signal, exitCode) => {
  const device = await waitingDevice();
  const file = join(device.files, 'pair.png');
  const line = ['device', 'connect', 'Reception', '--wait', '--qr-file', file];
  const { process: child, ended, output } = start(line, { env: device.env });
  await eventually(() => existsSync(file) || child.exitCode !== null);
  child.kill(signal);
  expect(await ended, output.stderr).toBe(signal);
  expect(readdirSync(device.files)).toEqual([]);
  expect(await leaks(device, { exitCode, ...output })).toEqual([]);
});

it('a picture goes with a process that fails', async () => {
  const device = await waitingDevice();
  const file = join(device.files, 'pair.png');
  const crash = join(temporaryDirectory(), 'crash.cjs');
  writeFileSync(
    crash,
    `const { existsSync } = require('node:fs');
     setInterval(() => { if (existsSync(process.env.CRASH_ONCE_THERE)) throw new Error('a bug'); }, 5).unref();`,
  );
  const line = ['device', 'connect', 'Reception', '--wait', '--qr-file', file, '--debug'];
  const env = { ...device.env, NODE_OPTIONS: `--require ${crash}`, CRASH_ONCE_THERE: file };
  const { ended, output } = start(line, { env });
  expect(await ended).toBe(1);
  expect(output.stderr).toContain('botctl failed unexpectedly: a bug');
  expect(readdirSync(device.files)).toEqual([]);
  expect(await leaks(device, { exitCode: 1, ...output })).toEqual([]);
});
