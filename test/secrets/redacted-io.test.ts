import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/lib/io.ts';
import { redactedIo } from '../../src/secrets/redacted-io.ts';
import { Redactor } from '../../src/secrets/redactor.ts';
import { mask, Secret } from '../../src/secrets/secret.ts';
import { eventually } from '../support/eventually.ts';

const secret = 'sk-the/secret+of"this"test';

/** A stream that stores its input, and accepts no more than `room` bytes at once. */
class Kept extends Writable {
  text = '';
  constructor(readonly isTTY: boolean) {
    super({ decodeStrings: false, highWaterMark: 10 });
  }
  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    setImmediate(done);
  }
}

function streams(isTTY = false) {
  const stdout = new Kept(isTTY);
  const stderr = new Kept(isTTY);
  const redactor = new Redactor();
  const stdin = new PassThrough();
  const outer: Io = { stdin, stdout, stderr, env: {}, signal: new AbortController().signal };
  return { stdout, stderr, redactor, ...redactedIo(outer, redactor) };
}

describe('the streams of a command', () => {
  it('mask every secret created while it runs, and none after', async () => {
    const { io, stdout, stderr, end } = streams();
    new Secret(secret);
    io.stdout.write(`a ${secret} b\n`);
    io.stderr.write(`a ${encodeURIComponent(secret)} b\n`);
    end();
    new Secret('a-later-secret');
    io.stderr.write('a-later-secret');
    await new Promise((resolve) => stderr.end(resolve));
    expect(stdout.text).toBe(`a ${mask} b\n`);
    expect(stderr.text).toBe(`a ${mask} b\na-later-secret`);
  });

  it('print everything on stdout, bytes unchanged, once the result is revealed', async () => {
    const { io, stdout, stderr, redactor, end } = streams();
    new Secret(secret);
    const bytes: Uint8Array[] = [];
    stdout._write = (chunk: Uint8Array | string, _encoding, done) => {
      bytes.push(Buffer.from(chunk));
      done();
    };
    io.stdout.write(`${secret} ${secret.slice(0, 5)}`);
    redactor.revealResult();
    io.stdout.write(Buffer.from([0, 200, 255]));
    io.stdout.write(secret);
    io.stderr.write(secret);
    end();
    await new Promise((resolve) => stderr.end(resolve));
    const before = Buffer.from(`${mask} ${secret.slice(0, 5)}`);
    expect(Buffer.concat(bytes)).toEqual(
      Buffer.concat([before, Buffer.from([0, 200, 255]), Buffer.from(secret)]),
    );
    expect(stderr.text).toBe(mask);
  });

  it('print a revealed secret only on stdout, and no other one', async () => {
    const { io, stdout, stderr, redactor, end } = streams();
    const other = new Secret('another-secret-42');
    expect(redactor.reveal(new Secret(secret))).toBe(secret);
    io.stdout.write(JSON.stringify({ secret, other: other.reveal() }));
    io.stderr.write(secret);
    end();
    await new Promise((resolve) => stdout.end(resolve));
    expect(JSON.parse(stdout.text)).toEqual({ secret, other: mask });
    expect(stderr.text).toBe(mask);
  });

  it('find a secret in chunks, and hold nothing back at the end', async () => {
    const { io, stdout, end } = streams();
    new Secret(secret);
    for (const character of `before ${secret} after sk-the`) io.stdout.write(character);
    end();
    await new Promise((resolve) => stdout.end(resolve));
    expect(stdout.text).toBe(`before ${mask} after sk-the`);
  });

  it('print the last letters of a question on a terminal before it is answered', async () => {
    const { io, stderr } = streams(true);
    new Secret('? is how this secret begins');
    io.stderr.write('Go on?');
    await eventually(() => stderr.text === 'Go on?');
    // The rest of a partly printed secret is never printed.
    io.stderr.write(' is how this');
    io.stderr.write(' secret begins!');
    await new Promise((resolve) => stderr.end(resolve));
    expect(stderr.text).toBe(`Go on?${mask}!`);
  });

  it('hold back no part of an escape sequence, which the other stream would corrupt', async () => {
    const { io, stderr, end } = streams(true);
    new Secret('looks-like-the-end-of-a-sequence');
    io.stderr.write('\x1b[?25l');
    expect(stderr.text).toBe('\x1b[?25l');
    io.stderr.write('ooks-like-the-end');
    io.stderr.write('-of-a-sequence!');
    end();
    await new Promise((resolve) => stderr.end(resolve));
    expect(stderr.text).toBe(`\x1b[?25l${mask}!`);
  });

  it('print what followed the last letters of a question, if they started no secret', async () => {
    const { io, stderr, end } = streams(true);
    new Secret('? is how this secret begins');
    io.stderr.write('Go on?');
    await eventually(() => stderr.text === 'Go on?');
    io.stderr.write(' is yours to say');
    io.stderr.write('. Go on?');
    end();
    await new Promise((resolve) => stderr.end(resolve));
    expect(stderr.text).toBe('Go on? is yours to say. Go on?');
  });

  it.each(Array.from(secret, (_, at) => at))(
    'find a secret that is split after %i characters on a terminal',
    async (at) => {
      const { io, stdout, stderr, end } = streams(true);
      new Secret(secret);
      for (const stream of [io.stdout, io.stderr]) {
        stream.write(`a ${secret.slice(0, at)}`);
        stream.write(`${secret.slice(at)} b`);
      }
      end();
      await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.end(resolve))));
      expect(stdout.text).toBe(`a ${mask} b`);
      expect(stderr.text).toBe(`a ${mask} b`);
    },
  );

  it('pass bytes through unchanged as long as no secret is registered', async () => {
    const { io, stdout } = streams();
    const chunks: (string | Uint8Array)[] = [];
    stdout._write = (chunk, _encoding, done) => {
      chunks.push(chunk);
      done();
    };
    io.stdout.write(Uint8Array.of(0xff, 0xfe));
    expect(chunks).toEqual([Buffer.of(0xff, 0xfe)]);
  });

  it('report when their reader is slow, and when it is ready again', async () => {
    const { io } = streams();
    new Secret(secret);
    expect(io.stdout.write('x'.repeat(20))).toBe(false);
    await new Promise((resolve) => io.stdout.once('drain', resolve));
    expect(io.stdout.writableNeedDrain).toBe(false);
    await new Promise<void>((resolve) => void io.stdout.write('y', () => resolve()));
  });

  it('allow replacing write for a while, as a spinner does', async () => {
    const { io, stderr } = streams(true);
    new Secret(secret);
    const original = io.stderr.write;
    const seen: unknown[] = [];
    io.stderr.write = (chunk: unknown) => {
      seen.push(chunk);
      return original.call(io.stderr, `> ${String(chunk)}`, 'utf8');
    };
    io.stderr.write(secret);
    io.stderr.write = original;
    io.stderr.write('!');
    await new Promise((resolve) => stderr.end(resolve));
    expect(seen).toEqual([secret]);
    expect(stderr.text).toBe(`> ${mask}!`);
  });
});
