import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { binary, start } from '../support/process.ts';

function ready(name: string): string {
  return readFileSync(new URL(`../../dist/ready-answers/${name}.txt`, import.meta.url), 'utf8');
}

it.each([
  ['--version', 'version'],
  ['-v', 'version'],
  ['--help', 'help'],
  ['-h', 'help'],
])('%s is ready as the program itself answers it', async (line, name) => {
  const live = await botctl([line]);
  expect(live).toEqual({ exitCode: 0, stdout: ready(name), stderr: '' });
  const running = start([line]);
  expect(await running.ended).toBe(0);
  expect(running.output).toEqual({ stdout: live.stdout, stderr: '' });
});

it.each([80, 81, 100, 132, 250])('help is the same on a terminal of %d columns', async (columns) => {
  const { stdout } = await botctl(['--help'], { terminal: { columns, rows: 50 } });
  expect(stdout).toBe(ready('help'));
});

it('a line that says more than that is answered by the program', async () => {
  const running = start(['--help', '--no-such-option']);
  const live = await botctl(['--help', '--no-such-option']);
  expect(await running.ended).toBe(live.exitCode);
  expect(running.output).toEqual({ stdout: live.stdout, stderr: live.stderr });
});

it.skipIf(process.platform === 'win32')('waits for a reader that is slow, and loses nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'botctl-ready-'));
  const fifo = join(directory, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const end = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => {
    closeSync(end);
    rmSync(directory, { recursive: true });
  });
  // Full: the entry is told to come again, and leaves it to the program.
  let filled = 0;
  for (const size of [4096, 1]) {
    try {
      for (;;) filled += writeSync(end, Buffer.alloc(size, '.'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
  }
  const child = spawn(process.execPath, [binary, '--help'], { stdio: ['ignore', end, 'inherit'] });
  const ended = once(child, 'exit');
  let text = '';
  const room = Buffer.alloc(65_536);
  while (text.length < filled + ready('help').length) {
    try {
      text += room.toString('utf8', 0, readSync(end, room));
    } catch {
      await sleep(5);
    }
  }
  expect(text.slice(filled)).toBe(ready('help'));
  expect(await ended).toEqual([0, null]);
});
