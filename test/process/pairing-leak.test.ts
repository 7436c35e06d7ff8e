import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaks, waitingDevice } from '../secrets/waiting-device.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox({ phone: 'manual' });

const signals = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const;
it.each(signals)('a picture is removed with a process that %s ends', async (signal, exitCode) => {
  const device = await waitingDevice(sandbox);
  const file = join(device.files, 'pair.png');
  const line = ['device', 'connect', 'Reception', '--wait', '--qr-file', file];
  const { process: child, ended, output } = start(line, { env: device.env });
  await eventually(() => existsSync(file) || child.exitCode !== null);
  child.kill(signal);
  expect(await ended, output.stderr).toBe(signal);
  expect(readdirSync(device.files)).toEqual([]);
  expect(await leaks(device, { exitCode, ...output })).toEqual([]);
});

it('a picture is removed with a process that fails', async () => {
  const device = await waitingDevice(sandbox);
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
