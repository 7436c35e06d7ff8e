import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { binary } from '../support/process.ts';
import { processHome } from '../support/process-home.ts';

it('a sandbox that was just started compiles nothing of PostgreSQL a second time, optimised', async () => {
  const args = [
    '--trace-wasm-compilation-times',
    binary,
    'sandbox',
    'run',
    '--',
    process.execPath,
    '--version',
  ];
  const env = { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: processHome() };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 26 });
  expect(stdout).toContain('using Liftoff');
  expect(stdout).not.toContain('using TurboFan');
  expect(stdout).toContain(process.version);
});
