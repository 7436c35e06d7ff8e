import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { someOf } from '../support/long.ts';
import { binary, start } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function ready(name: string): string {
  return readFileSync(new URL(`../../dist/ready-answers/${name}.txt`, import.meta.url), 'utf8');
}

const lines = [
  ['--version', 'version'],
  ['-v', 'version'],
  ['--help', 'help'],
  ['-h', 'help'],
] as const;
it.each(someOf(lines, 2))('%s is ready as the program itself answers it', async (line, name) => {
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

/** Loaded before botctl: tells the file descriptor 4 when the entry was told to come again. */
const tellsWhenFull = `const fs = require('node:fs');
const { writeSync } = fs;
fs.writeSync = (...args) => {
  try {
    return writeSync(...args);
  } catch (error) {
    writeSync(4, error.code);
    throw error;
  }
};`;

it.skipIf(process.platform === 'win32')('waits for a reader that is slow, and loses nothing', async () => {
  const home = temporaryDirectory();
  const preload = join(home, 'preload.cjs');
  writeFileSync(preload, tellsWhenFull);
  const fifo = join(home, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const end = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  let filled = 0;
  for (const size of [4096, 1]) {
    try {
      for (;;) filled += writeSync(end, Buffer.alloc(size, '.'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
  }
  // By way of a shell: what Node starts with it as stdout would wait in each write.
  const line = ['exec "$0" "$@" >&3', process.execPath, '--require', preload, binary, '--help'];
  const child = spawn('sh', ['-c', ...line], {
    env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: home },
    stdio: ['ignore', 'ignore', 'inherit', end, 'pipe'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const told = child.stdio[4];
  if (!(told instanceof Socket)) throw new Error('there is no pipe to tell by');
  expect(String(await once(told, 'data'))).toBe('EAGAIN');
  // A descriptor of its own: a program that writes to the other one may have it wait, and with it whoever reads from it.
  const reader = new Socket({
    fd: openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
  });
  onTestFinished(() => void reader.destroy());
  closeSync(end);
  expect((await text(reader)).slice(filled)).toBe(ready('help'));
  expect(await ended).toEqual([0, null]);
});
