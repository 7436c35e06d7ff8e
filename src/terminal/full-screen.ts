import type { Io } from '../lib/io.ts';
import { InputReader, type Key } from './input-reader.ts';
import { keepOnlyStyles } from './sanitise.ts';
import { canSuspend, stopGroup, suspend } from './suspend.ts';

/** The alternate screen, which leaves no trace when it closes. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Replaces the whole frame. Lines may contain SGR sequences; each is cut off at the right edge. */
  draw(lines: readonly string[]): void;
  /** Calls back on each resize until the screen closes. */
  onResize(callback: () => void): void;
  onKey(callback: (key: Key) => void): void;
  /** Sends a query to the terminal, which displays nothing; the next frame is drawn in full. */
  send(sequence: string): void;
  /** Calls back with each control sequence from the terminal: its answers, function keys. */
  onSequence(callback: (sequence: string) => void): void;
  /** Calls back with each remark while the screen covers the terminal. */
  onRemark(callback: (text: string, lastsMs?: number) => void): void;
  /** Passes a remark to the callbacks of `onRemark`, with the time for which it is valid, if limited. */
  remark(text: string, lastsMs?: number): void;
  /** Restores screen and cursor; safe to call twice. */
  close(): void;
}

/**
 * Control sequences (xterm's ctlseqs; synchronised updates are DEC mode 2026, which terminals without support
 * ignore).
 */
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[0m\x1b[H\x1b[2J';
/**
 * Erases before leaving: some terminals keep the last content of the alternate screen. Erases afterwards, since the
 * terminal may have echoed keys that were pressed before the screen was opened.
 */
const leave = '\x1b[0m\x1b[H\x1b[2J\x1b[?7h\x1b[?25h\x1b[?1049l\r\x1b[K';
const beginUpdate = '\x1b[?2026h';
const endUpdate = '\x1b[?2026l';
const home = '\x1b[H';
const eraseLine = '\x1b[0m\x1b[K';
const eraseAll = '\x1b[0m\x1b[2J';
const eraseBelow = '\x1b[0m\x1b[J';

/**
 * The end of each write. The redactor holds back text that may begin a secret, until it sees the rest.
 * No secret begins with this character, so a frame is written completely before other output.
 */
const writeEnd = '\r';

/** Up to this many changed lines are rewritten individually. */
const maxPatchedLines = 3;

/**
 * Opens the alternate screen on stderr, which leaves no trace on the screen or in
 * the scrollback. The keyboard is in raw mode, so that typed keys are not echoed; Ctrl-C
 * is then the key `interrupt`.
 *
 * A frame is one write. If more than a few lines change, it is sent in full: each line erased, then
 * written, from the top; so that one write is a complete frame.
 *
 * Ctrl-Z restores the terminal until the process continues, and the frame is then redrawn.
 *
 * @param onClose is called once, when the terminal is restored
 * @param stop the action of Ctrl-Z after that
 */
export function openScreen(
  io: Pick<Io, 'stdin' | 'stderr'>,
  onClose: () => void = () => undefined,
  stop: () => void = stopGroup,
): Screen {
  const { stdin, stderr } = io;
  const onKeys = new Set<(key: Key) => void>();
  const onSequences = new Set<(sequence: string) => void>();
  const onResizes = new Set<() => void>();
  const onRemarks = new Set<(text: string, lastsMs?: number) => void>();
  let isOpen = true;
  /** Set while the terminal is restored. */
  let forgetStop: (() => void) | undefined;
  let shown: readonly string[] | undefined;

  const onResized = (): void => {
    // Terminals rewrap and cut the content differently, so it is unknown.
    shown = undefined;
    for (const callback of [...onResizes]) callback();
  };
  const take = (): void => {
    stdin.setRawMode?.(true);
    stdin.resume();
    stderr.write(enter + writeEnd);
  };
  const giveBack = (): void => {
    stdin.setRawMode?.(false);
    stdin.pause();
    stderr.write(leave + writeEnd);
  };
  const resume = (): void => {
    forgetStop = undefined;
    take();
    onResized();
  };
  const reader = new InputReader({
    key(key) {
      if (key === 'suspend') {
        if (!canSuspend || forgetStop) return;
        giveBack();
        forgetStop = suspend(stop, resume);
        return;
      }
      for (const callback of [...onKeys]) callback(key);
    },
    sequence(sequence) {
      for (const callback of [...onSequences]) callback(sequence);
    },
  });
  const onInput = (chunk: Buffer | string): void => reader.feed(String(chunk));
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    process.off('exit', close);
    process.off('uncaughtExceptionMonitor', close);
    stderr.off('resize', onResized);
    stdin.off('data', onInput);
    reader.close();
    if (forgetStop) forgetStop();
    else giveBack();
    onClose();
  };

  // The terminal is restored whenever the process ends: before an uncaught error is reported, since text on
  // this screen disappears with it.
  process.on('exit', close);
  process.on('uncaughtExceptionMonitor', close);
  stderr.on('resize', onResized);
  stdin.on('data', onInput);
  take();

  return {
    get columns() {
      return stderr.columns || 80;
    },
    get rows() {
      return stderr.rows || 24;
    },
    draw(lines) {
      if (!isOpen || forgetStop) return;
      const visible = lines.slice(0, this.rows).map(keepOnlyStyles);
      const update = updateFrom(shown, visible, this.rows);
      if (update !== '') stderr.write(beginUpdate + update + endUpdate + writeEnd);
      shown = visible;
    },
    onResize: (callback) => void onResizes.add(callback),
    onKey: (callback) => void onKeys.add(callback),
    send(sequence) {
      if (!isOpen || forgetStop) return;
      stderr.write(sequence + writeEnd);
      // A query may write and erase something.
      shown = undefined;
    },
    onSequence: (callback) => void onSequences.add(callback),
    onRemark: (callback) => void onRemarks.add(callback),
    remark(text, lastsMs) {
      for (const callback of [...onRemarks]) callback(text, lastsMs);
    },
    close,
  };
}

/**
 * Returns the sequences that turn one frame into another on a screen with a number of rows; empty if they are
 * equal. If the content of the screen is unknown, all of it is erased.
 */
function updateFrom(before: readonly string[] | undefined, lines: readonly string[], rows: number): string {
  const changed = [...lines.keys()].filter((row) => lines[row] !== before?.[row]);
  if (before?.length === lines.length && changed.length <= maxPatchedLines) {
    return changed.map((row) => `\x1b[${row + 1}H${eraseLine}${lines[row]}`).join('');
  }
  // A line is erased before it is written: after a line as wide as the screen, the cursor is still on
  // its last cell, which would be erased.
  const picture = lines.map((line) => eraseLine + line).join('\r\n');
  const rest = lines.length < rows ? `\x1b[${lines.length + 1}H${eraseBelow}` : '';
  return (before ? '' : eraseAll) + home + picture + rest;
}
