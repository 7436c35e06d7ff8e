import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/commands/branches.ts';
import { watchSecrets } from '../../src/secrets/secret.ts';
import { botctl, type RunOptions } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock, scaledClock } from '../support/fake-clock.ts';
import { useSandbox } from '../support/sandbox.ts';
import { scanPicture } from '../support/scan.ts';
import { leaks, waitingDevice } from './waiting-device.ts';

const sandbox = useSandbox({ phone: 'manual' });
const hasRepair = (await allCommands()).some(({ path }) => path === 'device repair');

/** Commands about a waiting device. Each ends soon. */
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

describe('a pairing code appears nowhere', () => {
  it.each(Object.keys(lines))('in any format of %s', async (name) => {
    const device = await waitingDevice(sandbox);
    for (const [format, debug] of formats) {
      const args = [...(lines[name] ?? []), '-o', format, ...debug];
      const ran = await botctl(args, { env: device.env });
      expect({ format, debug, leaks: await leaks(device, ran) }).toEqual({ format, debug, leaks: [] });
    }
  });

  it.each(Object.keys(situations))('on %s', async (situation) => {
    const options = situations[situation];
    const device = await waitingDevice(sandbox);
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

  it('if botctl itself fails with all its data in the message', async () => {
    const device = await waitingDevice(sandbox);
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

  it('except in the requested file, during the wait', async () => {
    const device = await waitingDevice(sandbox);
    const file = join(device.files, 'pair.png');
    const line = ['device', 'connect', 'Reception', '--wait', '--debug', '--qr-file', file];
    const clock = new FakeClock({ byHand: true });
    const waiting = botctl([...line, '--timeout', '1s'], { env: device.env, clock });
    await eventually(() => existsSync(file));
    const during = await leaks(device, { exitCode: 0, stdout: '', stderr: '' });
    expect(during).toEqual([expect.stringMatching(/^bytes \w+, raw, in pair\.png$/)]);
    // After the first read of the device, it waits only for the clock.
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

  it('except in the requested file, page and lines', async () => {
    const device = await waitingDevice(sandbox);
    const file = join(device.files, 'pair.png');
    const line = [...(lines['connect --wait'] ?? []), '--no-qr', '--qr-web', '--qr-file', file, '--debug'];
    for (const terminal of [true, false]) {
      const ran = await botctl(line, { env: device.env, terminal });
      expect(ran.stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\//);
      expect(await leaks(device, ran)).toEqual([]);
    }
  });

  it.each(Object.keys(lines).filter(waits))('except on stdout of %s with --reveal-qr', async (name) => {
    const device = await waitingDevice(sandbox);
    const ran = await botctl([...(lines[name] ?? []), '--reveal-qr', '-o', 'ndjson', '--debug'], {
      env: device.env,
    });
    const found = await leaks(device, ran);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((leak) => !/^payload \w+, .* in stdout$/.test(leak))).toEqual([]);
  });
});
