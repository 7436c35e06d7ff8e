import { closeSync, openSync, readFileSync } from 'node:fs';
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
