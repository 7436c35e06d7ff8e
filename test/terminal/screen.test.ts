import { describe, expect, it } from 'vitest';
import { redactedIo } from '../../src/secrets/redacted-io.ts';
import { Redactor } from '../../src/secrets/redactor.ts';
import { openScreen } from '../../src/terminal/full-screen.ts';
import { createTerminal } from '../../src/terminal/terminal.ts';
import { eventually } from '../support/eventually.ts';
import { Emulated } from './emulated.ts';

const open = (columns = 20, rows = 5) => {
  const emulated = new Emulated(columns, rows);
  return { emulated, screen: openScreen(emulated) };
};

describe('a screen', () => {
  it('shows pictures on the alternate screen, and restores everything', async () => {
    const emulated = new Emulated(20, 5);
    emulated.stderr.write('$ botctl\r\n');
    const screen = openScreen(emulated);
    screen.draw(['one', 'two', 'three', 'four', 'five']);
    expect(await emulated.lines()).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(emulated.terminal.buffer.active.type).toBe('alternate');
    screen.close();
    expect(await emulated.lines()).toEqual(['$ botctl', '', '', '', '']);
    expect(emulated.terminal.buffer.active).toMatchObject({ type: 'normal', cursorX: 0, cursorY: 1 });
    expect(emulated.sent).toMatch(/\x1b\[\?25l[\s\S]*\x1b\[\?25h/);
    expect(emulated.sent).toMatch(/\x1b\[\?7l[\s\S]*\x1b\[\?7h/);
  });

  it('is closed at once, even if secrets are searched that may start as a sequence ends', async () => {
    const emulated = new Emulated(20, 5);
    const redactor = new Redactor();
    for (const letter of 'hlmcJKH') redactor.learn(`${letter}-is-how-a-secret-begins`);
    const { io, end } = redactedIo(
      { ...emulated, stdout: emulated.stderr, env: {}, signal: new AbortController().signal },
      redactor,
    );
    const screen = openScreen(io);
    await emulated.settled();
    expect(emulated.sent).toMatch(/\x1b\[2J\r$/);
    screen.draw(['one', 'two']);
    await emulated.settled();
    expect(emulated.sent).toMatch(/\x1b\[\?2026l\r$/);
    screen.send('\x1b[c');
    await emulated.settled();
    expect(emulated.sent).toMatch(/\x1b\[c\r$/);
    screen.close();
    // Output to the other stream comes after the whole screen.
    io.stdout.write('DEVICE  STATE\n');
    await emulated.settled();
    expect(emulated.sent).toContain('\x1b[?1049l');
    expect(emulated.sent).toMatch(/\rDEVICE {2}STATE\n$/);
    expect(emulated.terminal.buffer.active.type).toBe('normal');
    expect((await emulated.lines())[0]).toBe('DEVICE  STATE');
    end();
  });

  it.skipIf(process.platform === 'win32')(
    'restores the terminal on Ctrl-Z, and is drawn again when it continues',
    async () => {
      const emulated = new Emulated(20, 3);
      emulated.stderr.write('$ botctl\r\n');
      const stopped: string[] = [];
      const screen = openScreen(emulated, undefined, () => void stopped.push('once'));
      screen.onResize(() => screen.draw(['one', 'two']));
      screen.draw(['one', 'two']);
      emulated.stdin.emit('data', '\x1a');
      expect(stopped).toEqual(['once']);
      // A countdown still draws before the process is suspended.
      screen.draw(['three']);
      expect(await emulated.lines()).toEqual(['$ botctl', '', '']);
      expect(emulated.terminal.buffer.active.type).toBe('normal');
      process.emit('SIGCONT');
      expect(await emulated.lines()).toEqual(['one', 'two', '']);
      expect(emulated.terminal.buffer.active.type).toBe('alternate');
      screen.close();
      process.emit('SIGCONT');
      expect(await emulated.lines()).toEqual(['$ botctl', '', '']);
    },
  );

  it.skipIf(process.platform === 'win32')('stays if Ctrl-Z stops nothing, without a shell', async () => {
    const emulated = new Emulated(20, 3);
    const screen = openScreen(emulated, undefined, () => undefined);
    screen.onResize(() => screen.draw(['one', 'two']));
    emulated.stdin.emit('data', '\x1a');
    await eventually(() => emulated.sent.includes('two'));
    expect(await emulated.lines()).toEqual(['one', 'two', '']);
    expect(emulated.terminal.buffer.active.type).toBe('alternate');
    screen.close();
  });

  it('removes the echo of keys that were typed too early', async () => {
    const emulated = new Emulated(20, 5);
    emulated.stderr.write('$ botctl\r\nxq');
    const screen = openScreen(emulated);
    screen.close();
    emulated.stderr.write('Left.\r\n');
    expect((await emulated.lines()).slice(0, 3)).toEqual(['$ botctl', 'Left.', '']);
  });

  it('leaves nothing of an earlier picture, whether the next is smaller, narrower or longer', async () => {
    const { emulated, screen } = open();
    screen.draw(['wide wide wide wide', 'b', 'c', 'd', 'e']);
    screen.draw(['x', 'y']);
    expect(await emulated.lines()).toEqual(['x', 'y', '', '', '']);
    screen.draw(['p', 'q', 'r', 's', 't']);
    expect(await emulated.lines()).toEqual(['p', 'q', 'r', 's', 't']);
    screen.draw([]);
    expect(await emulated.lines()).toEqual(['', '', '', '', '']);
  });

  it('keeps the last cell of lines as wide as the screen, on the last row too', async () => {
    const { emulated, screen } = open(4, 3);
    screen.draw(['abcd', 'efgh', 'ijkl']);
    expect(await emulated.lines()).toEqual(['abcd', 'efgh', 'ijkl']);
    screen.draw(['abcd', 'efgh', 'mnop']);
    expect(await emulated.lines()).toEqual(['abcd', 'efgh', 'mnop']);
  });

  it('never wraps or scrolls: it truncates lines that are too wide or too many', async () => {
    const { emulated, screen } = open(4, 2);
    screen.draw(['abcdefgh', 'ijkl', 'no room', 'none']);
    const lines = await emulated.lines();
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe('ijkl');
  });

  it('sends a picture in one write inside a synchronised update, and nothing for the same picture', async () => {
    const { emulated, screen } = open();
    await emulated.settled();
    const before = emulated.sent.length;
    screen.draw(['a', 'b', 'c', 'd']);
    await emulated.settled();
    expect(emulated.sent.slice(before)).toMatch(/^\x1b\[\?2026h[\s\S]*\x1b\[H[\s\S]*\x1b\[\?2026l\r$/);
    const after = emulated.sent.length;
    screen.draw(['a', 'b', 'c', 'd']);
    await emulated.settled();
    expect(emulated.sent.length).toBe(after);
  });

  it('sends only the changed lines if they are few', async () => {
    const { emulated, screen } = open();
    screen.draw(['secret code', 'b', 'c', 'd', '9 s left']);
    await emulated.settled();
    const before = emulated.sent.length;
    screen.draw(['secret code', 'b', 'c', 'd', '8 s left']);
    expect(await emulated.lines()).toEqual(['secret code', 'b', 'c', 'd', '8 s left']);
    expect(emulated.sent.slice(before)).not.toContain('secret');
  });

  it('draws everything again after a resize', async () => {
    const { emulated, screen } = open(20, 5);
    const sizes: string[] = [];
    screen.onResize(() => {
      sizes.push(`${screen.columns}x${screen.rows}`);
      screen.draw(['one', 'two']);
    });
    screen.draw(['a long line of words', 'two']);
    await emulated.settled();
    emulated.resize(10, 4);
    expect(await emulated.lines()).toEqual(['one', 'two', '', '']);
    emulated.resize(30, 6);
    expect(await emulated.lines()).toEqual(['one', 'two', '', '', '', '']);
    expect(sizes).toEqual(['10x4', '30x6']);
  });

  it('reads keys raw, names the special ones, and ignores sequences of other function keys', async () => {
    const { emulated, screen } = open();
    const keys: string[] = [];
    screen.onKey((key) => void keys.push(key));
    expect(emulated.raw).toEqual([true]);
    for (const typed of ['q', '\x03', '\r', '\x1b', '\x1b[A', '\x1bOP', 'ab']) emulated.stdin.write(typed);
    await new Promise((resolve) => setImmediate(resolve));
    expect(keys).toEqual(['q', 'interrupt', 'enter', 'escape', 'up', 'a', 'b']);
    screen.close();
    expect(emulated.raw).toEqual([true, false]);
    expect(emulated.stdin.isPaused()).toBe(true);
  });

  it('sends queries, forwards the responses, and treats none of them as keys', async () => {
    const emulated = new Emulated(20, 5, (sent) =>
      sent.includes('\x1b[c') ? '\x1bP>|foot(1)\x1b\\\x1b[?62c' : '',
    );
    const screen = openScreen(emulated);
    const keys: string[] = [];
    const sequences: string[] = [];
    screen.onKey((key) => void keys.push(key));
    screen.onSequence((sequence) => void sequences.push(sequence));
    screen.send('\x1b[>q\x1b[c');
    await emulated.settled();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sequences).toEqual(['\x1bP>|foot(1)\x1b\\', '\x1b[?62c']);
    expect(keys).toEqual([]);
    screen.close();
    const before = emulated.sent.length;
    screen.send('\x1b[c');
    await emulated.settled();
    expect(emulated.sent.length).toBe(before);
  });

  it('restores the terminal before an uncaught error is reported', async () => {
    const { emulated } = open();
    const monitor = process.listeners('uncaughtExceptionMonitor').at(-1);
    monitor?.(new Error('a bug'), 'uncaughtException');
    await emulated.settled();
    expect(emulated.terminal.buffer.active.type).toBe('normal');
    expect(emulated.raw).toEqual([true, false]);
  });

  it('closes once, draws nothing afterwards, and leaves no listener behind', async () => {
    const events = ['exit', 'uncaughtExceptionMonitor'];
    const count = () => events.map((event) => process.listenerCount(event));
    const listeners = count();
    const { emulated, screen } = open();
    expect(count()).toEqual(listeners.map((number) => number + 1));
    screen.close();
    screen.close();
    screen.draw(['too late']);
    await emulated.settled();
    expect(emulated.sent.match(/\x1b\[\?1049l/g)).toHaveLength(1);
    expect(emulated.sent).not.toContain('too late');
    expect(count()).toEqual(listeners);
    expect(emulated.stderr.listenerCount('resize')).toBe(0);
    expect(emulated.stdin.listenerCount('data')).toBe(0);
  });

  it('queues notes meanwhile, and prints them afterwards', async () => {
    const emulated = new Emulated(40, 5);
    const { stdin, stderr } = emulated;
    const io = {
      stdin,
      stderr,
      stdout: stderr,
      env: { LANG: 'C.UTF-8' },
      signal: new AbortController().signal,
    };
    const terminal = createTerminal(io, { color: false });
    const screen = terminal.openScreen();
    screen.draw(['the code']);
    terminal.note('The service is slow.');
    terminal.warn('Very slow.');
    expect(await emulated.lines()).toEqual(['the code', '', '', '', '']);
    screen.close();
    terminal.done('Paired.');
    expect((await emulated.lines()).slice(0, 3)).toEqual([
      'The service is slow.',
      '! Very slow.',
      '✓ Paired.',
    ]);
  });
});
