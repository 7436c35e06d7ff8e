import { getEventListeners } from 'node:events';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Io } from '../../src/lib/io.ts';
import { loadPaint } from '../../src/terminal/colour.ts';
import { createTerminal, type Terminal } from '../../src/terminal/terminal.ts';
import { eventually } from '../support/eventually.ts';
import { Captured, CapturedTerminal, dangerous, fakeIo, hostile, keyboard, utf8 } from './support.ts';

const noColor = { color: false };

function terminalOn(stderr: Captured, parts: Partial<Io> = {}, options = noColor): Terminal {
  return createTerminal(fakeIo({ stdin: keyboard(), stderr, ...parts }), options);
}

/** Waits while another spinner turns, long enough for an unwanted one to be drawn. */
async function whileAnotherTurns(): Promise<void> {
  const stderr = new CapturedTerminal();
  const other = terminalOn(stderr).progress('Other');
  await eventually(() => stderr.text.split('Other').length > 3);
  other.stop();
}

describe('messages', () => {
  beforeAll(() => loadPaint(2));

  test('are printed to stderr, each with its mark', () => {
    const stderr = new Captured();
    const stdout = new Captured();
    const terminal = terminalOn(stderr, { stdout });
    terminal.note('Plain.');
    terminal.warn('Look out.');
    terminal.done('Created team Acme.\nIt has 3 bots.');
    expect(stderr.text).toBe('Plain.\n! Look out.\n✓ Created team Acme.\n  It has 3 bots.\n');
    expect(stdout.text).toBe('');
  });

  test('have colour on a terminal, if it is enabled', () => {
    const stderr = new Captured(80);
    terminalOn(stderr, {}, { color: true }).done('Yes.');
    terminalOn(stderr, {}, { color: true }).warn('Hm.');
    terminalOn(stderr, {}, { color: false }).done('No.');
    expect(stderr.text).toBe('\x1b[32m✓\x1b[39m Yes.\n\x1b[33m!\x1b[39m Hm.\n✓ No.\n');
  });

  test('are ASCII if the locale is not UTF-8', () => {
    const stderr = new Captured();
    terminalOn(stderr, { env: { LC_ALL: 'C', LANG: 'en_US.UTF-8' } }).done('Done.');
    expect(stderr.text).toBe('ok: Done.\n');
  });

  test.each(Object.entries(hostile))('are safe: %s', (_what, text) => {
    const stderr = new Captured();
    const terminal = terminalOn(stderr);
    terminal.note(text);
    terminal.warn(text);
    terminal.done(text);
    expect(stderr.text).not.toMatch(dangerous);
  });
});

describe('the terminal', () => {
  test('is interactive if stdin and stderr are terminals', () => {
    expect(terminalOn(new Captured(80)).interactive).toBe(true);
    expect(terminalOn(new Captured()).interactive).toBe(false);
    expect(terminalOn(new Captured(80), { stdin: fakeIo().stdin }).interactive).toBe(false);
  });

  test('has the size of stderr, or a default size', () => {
    expect(terminalOn(new Captured(132))).toMatchObject({ columns: 132, rows: 24 });
    expect(terminalOn(new Captured())).toMatchObject({ columns: 80, rows: 24 });
  });

  test('does not touch a stream before it is used', () => {
    const untouchable = (): never => {
      throw new Error('touched');
    };
    const io: Io = {
      get stdin() {
        return untouchable();
      },
      get stdout() {
        return untouchable();
      },
      get stderr() {
        return untouchable();
      },
      env: {},
      signal: new AbortController().signal,
    };
    expect(() => createTerminal(io, noColor)).not.toThrow();
  });
});

describe('progress', () => {
  test('is animated on a terminal, shows the last step, and is removed', async () => {
    const stderr = new CapturedTerminal();
    const terminal = terminalOn(stderr);
    const upload = terminal.progress('Uploading');
    await eventually(() => stderr.text.includes('Uploading'));
    expect(stderr.text).toContain('\x1b[?25l');
    upload.update('Uploading 50 %');
    const inner = terminal.progress('Counting');
    await eventually(() => stderr.text.includes('Counting'));
    inner.stop();
    await eventually(() => stderr.text.lastIndexOf('Uploading 50 %') > stderr.text.lastIndexOf('Counting'));
    upload.stop();
    expect(stderr.text.endsWith('\x1b[?25h')).toBe(true);
    const settled = stderr.text;
    upload.update('Too late');
    upload.stop();
    await whileAnotherTurns();
    expect(stderr.text).toBe(settled);
  });

  test('prints messages above its line', async () => {
    const stderr = new CapturedTerminal();
    const terminal = terminalOn(stderr);
    const work = terminal.progress('Working');
    await eventually(() => stderr.text.includes('Working'));
    terminal.note('By the way.');
    expect(stderr.text).toMatch(/<home><clear>By the way\.\n/);
    work.stop();
  });

  test('has several lines for several objects, none of which wraps', async () => {
    const stderr = new CapturedTerminal();
    const work = terminalOn(stderr).progress(['Reception: 3\nleft', 'Counter: 5 left']);
    await eventually(() => stderr.text.includes('Reception: 3 left\n  Counter: 5 left'));
    work.stop();
  });

  test('shows nothing that finished before it was visible', async () => {
    const stderr = new CapturedTerminal();
    terminalOn(stderr).progress('Quick').stop();
    await whileAnotherTurns();
    expect(stderr.text).toBe('');
  });

  test('ends with Ctrl-C, and leaves no listener', async () => {
    const stderr = new CapturedTerminal();
    const abort = new AbortController();
    const terminal = terminalOn(stderr, { signal: abort.signal });
    const work = terminal.progress('Working');
    await eventually(() => stderr.text.includes('Working'));
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    abort.abort();
    expect(stderr.text.endsWith('\x1b[?25h')).toBe(true);
    work.update('Too late');
    work.stop();
    expect(stderr.text).not.toContain('Too late');
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  test('is safe', async () => {
    const stderr = new CapturedTerminal();
    const work = terminalOn(stderr).progress(`${hostile.clipboard}${hostile.lines}`);
    await eventually(() => stderr.text.includes('xyone two'));
    work.stop();
    expect(stderr.text).not.toContain('52;c');
  });

  test('is silent without a terminal, except for one line if it takes long', () => {
    vi.useFakeTimers();
    try {
      const stderr = new Captured();
      const terminal = terminalOn(stderr);
      const quick = terminal.progress('Quick');
      vi.advanceTimersByTime(4000);
      quick.stop();
      const long = terminal.progress('Uploading');
      long.update('Uploading 10 %');
      vi.advanceTimersByTime(60_000);
      long.update('Uploading 90 %');
      long.stop();
      expect(stderr.text).toBe('Uploading 10 %\n');
    } finally {
      vi.useRealTimers();
    }
  });

  test('is not animated on a terminal without a width', async () => {
    const stderr = new CapturedTerminal(0);
    const work = terminalOn(stderr).progress('Working');
    await whileAnotherTurns();
    work.update('Still working');
    work.stop();
    expect(stderr.text).toBe('');
  });

  test('is not animated on a dumb terminal', async () => {
    const stderr = new CapturedTerminal();
    const work = terminalOn(stderr, { env: { ...utf8, TERM: 'dumb' } }).progress('Working');
    await whileAnotherTurns();
    work.stop();
    expect(stderr.text).toBe('');
  });
});
