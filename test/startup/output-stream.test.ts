import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import type { Output } from '../../src/lib/io.ts';
import { redactedIo } from '../../src/secrets/redacted-io.ts';
import { Redactor } from '../../src/secrets/redactor.ts';
import { outputStream } from '../../src/startup/output-stream.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** An output on a file descriptor, whose stream only remembers what it is given. */
function outputOn(fd: number): { output: Output; opened(): number; streamed(): string; busy(): void } {
  const stream = new PassThrough();
  let opened = 0;
  let isIdle = true;
  const open = (): Output => {
    opened += 1;
    return stream;
  };
  return {
    output: outputStream(fd, open, () => isIdle),
    opened: () => opened,
    streamed: () => String(stream.read() ?? ''),
    busy: () => {
      isIdle = false;
    },
  };
}

function opened(path: string, flags: string | number): number {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

/** A pipe with both of its ends, of which none waits. */
function newPipe(): { readonly reader: number; readonly writer: number } {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = opened(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: opened(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

it('writes texts to a file without a stream, and says that it is no terminal', () => {
  const file = join(temporaryDirectory(), 'output');
  const { output, opened: openings } = outputOn(opened(file, 'w'));
  expect([output.isTTY, output.columns, output.rows]).toEqual([undefined, undefined, undefined]);
  expect(output.write('Zoë ✓\n')).toBe(true);
  expect(output.write('6e6578740a', 'hex')).toBe(true);
  expect(output.write('last\n', 'utf8', undefined)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('Zoë ✓\nnext\nlast\n');
  expect(openings()).toBe(0);
});

it('opens its stream once something goes on beside, after what was written before', () => {
  const file = join(temporaryDirectory(), 'output');
  const { output, busy, opened: openings, streamed } = outputOn(opened(file, 'w'));
  output.write('before\n');
  busy();
  output.write('after\n');
  output.write('and after that\n');
  expect(readFileSync(file, 'utf8')).toBe('before\n');
  expect(streamed()).toBe('after\nand after that\n');
  expect(openings()).toBe(1);
});

it('opens its stream for whoever waits for what is written', async () => {
  const file = join(temporaryDirectory(), 'output');
  const { output, streamed } = outputOn(opened(file, 'w'));
  await new Promise<void>((resolve) => void output.write('waited for\n', () => resolve()));
  expect(streamed()).toBe('waited for\n');
  await new Promise<void>((resolve) => void output.write('this too\n', 'utf8', () => resolve()));
  expect(streamed()).toBe('this too\n');
  expect(readFileSync(file, 'utf8')).toBe('');
});

it('opens its stream for whoever listens to it, and is one in every way then', () => {
  const file = join(temporaryDirectory(), 'output');
  const { output, opened: openings, streamed } = outputOn(opened(file, 'w'));
  output.once('close', () => undefined);
  expect(output.listenerCount('close')).toBe(1);
  output.write('by the stream\n');
  expect(streamed()).toBe('by the stream\n');
  expect(readFileSync(file, 'utf8')).toBe('');
  expect(openings()).toBe(1);
  expect(output).toBeInstanceOf(PassThrough);
  output.setMaxListeners(3);
  expect(output.getMaxListeners()).toBe(3);
  // A reader that is slow is told of as the stream tells it.
  expect(output.write('x'.repeat(1_000_000))).toBe(false);
  expect('writableLength' in output).toBe(true);
});

/** A terminal that remembers what is written to it, and has one of the methods that spinners use. */
class Terminal extends PassThrough {
  readonly isTTY = true;
  cursorTo(column: number): boolean {
    return this.write(`\x1b[${column + 1}G`);
  }
}

it('keeps the order of what a method writes below a redactor', () => {
  const shownOn = (stream: Terminal, stderr: Output): string => {
    const redactor = new Redactor();
    redactor.learn('token-secret-12345');
    const io = { stdin: stream, stdout: stream, stderr, env: {}, signal: new AbortController().signal };
    const redacted = redactedIo(io, redactor);
    redacted.io.stderr.write('a note tok');
    const { stderr: shown } = redacted.io;
    if ('cursorTo' in shown && typeof shown.cursorTo === 'function') shown.cursorTo(0);
    redacted.end();
    return String(stream.read());
  };
  const [bare, below] = [new Terminal(), new Terminal()];
  const shown = shownOn(bare, bare);
  expect(shown).toBe('a note tok\x1b[1G');
  expect(
    shownOn(
      below,
      outputStream(
        opened('/dev/null', 'w'),
        () => below,
        () => true,
      ),
    ),
  ).toBe(shown);
});

it('leaves a descriptor that can not be looked at to its stream', () => {
  const { output, streamed } = outputOn(1_000_000);
  output.write('by the stream\n');
  expect(streamed()).toBe('by the stream\n');
});

it.skipIf(process.platform === 'win32')('leaves every question about a device to its stream', () => {
  const { output, opened: openings } = outputOn(opened('/dev/null', 'w'));
  expect(output.isTTY).toBeUndefined();
  expect(openings()).toBe(1);
});

it.skipIf(process.platform === 'win32')('leaves to its stream what a full pipe does not take', () => {
  const { reader, writer } = newPipe();
  const { output, streamed } = outputOn(writer);
  const text = 'ä'.repeat(200_000);
  output.write(text);
  const taken = Buffer.alloc(1024 * 1024);
  const length = readSync(reader, taken);
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(400_000);
  const rest = Buffer.from(text).subarray(length).toString();
  expect(streamed()).toBe(rest);
});

it.skipIf(process.platform === 'win32')('leaves to its stream how a pipe without a reader fails', () => {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = opened(path, constants.O_WRONLY | constants.O_NONBLOCK);
  closeSync(reader);
  expect(() => writeSync(writer, 'x')).toThrow('EPIPE');
  const { output, streamed } = outputOn(writer);
  output.write('nobody reads this\n');
  expect(streamed()).toBe('nobody reads this\n');
});
