import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import stringWidth from 'string-width';
import type { Input, Io, Output } from '../../src/lib/io.ts';
import type { PresentOptions } from '../../src/output/options.ts';
import { type PresentResult, present } from '../../src/output/present.ts';
import type { OutputShape, Results } from '../../src/output/shape.ts';
import { anyCharacter } from '../support/any-character.ts';

/** Captures its output; a terminal if it has columns. */
export class Captured extends Writable implements Output {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;

  constructor(columns?: number) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    this.columns = columns;
    this.rows = columns === undefined ? undefined : 24;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** A terminal that can clear a line, as a spinner needs. */
export class CapturedTerminal extends Captured {
  constructor(columns = 80) {
    super(columns);
  }

  cursorTo(): boolean {
    return this.write('<home>');
  }

  clearLine(): boolean {
    return this.write('<clear>');
  }

  moveCursor(): boolean {
    return this.write('<up>');
  }
}

export const utf8 = { LANG: 'C.UTF-8', TERM: 'xterm-256color' };

/** Returns the streams of a fake process. */
export function fakeIo(parts: Partial<Io> = {}): Io {
  return {
    stdin: new PassThrough(),
    stdout: new Captured(),
    stderr: new Captured(),
    env: utf8,
    signal: new AbortController().signal,
    ...parts,
  };
}

/** Returns a keyboard: text written to it is typed. */
export function keyboard(): PassThrough & Input {
  return Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
}

export const now = Date.parse('2026-11-21T10:00:00Z');

/** Options for presenting a result in a test; a pipe if no columns are set. */
export interface Way extends Partial<PresentOptions['options']> {
  readonly columns?: number | undefined;
  readonly env?: Io['env'];
}

/** Returns the stdout of a presented result. */
export async function presented(
  result: Results[OutputShape['kind']],
  shape: OutputShape,
  way: Way = {},
): Promise<PresentResult & { readonly text: string }> {
  const { columns, env = utf8, ...options } = way;
  const stdout = new Captured(columns);
  const stage: PresentOptions = {
    io: { stdout, env },
    options: { output: undefined, fields: undefined, header: false, color: true, ...options },
    clock: { now: () => now },
  };
  const done = await present(result, shape, stage);
  return { ...done, text: stdout.text };
}

/** Yields rows one after the other. */
export async function* arriving<T>(...rows: readonly T[]): AsyncGenerator<T> {
  for (const row of rows) {
    await Promise.resolve();
    yield row;
  }
}

/** Hostile or unusual texts, by their effect. */
export const hostile = {
  colour: '\x1b[31mred\x1b[0m',
  title: '\x1b]0;owned\x07title',
  clipboard: 'x\x1b]52;c;cm0gLXJmIC8=\x07y',
  clipboardUnfinished: 'x\x1b]52;c;cm0gLXJm',
  deviceControl: 'a\x1bP1$r0m\x1b\\b',
  c1: 'a\x9b31mb\x9d0;t\x9cc\x85d',
  override: 'invoice\u202egnp.exe',
  isolates: 'a\u2066b\u2067c\u2068d\u2069e\u200ef\u200fg\u061ch',
  lines: 'one\ntwo\r\nthree\ttabbed\vfour\ffive\u2028six',
  backspace: 'admin\b\b\b\b\buser',
  zeroWidth: 'pay\u200bpal\u200c\u2060\ufeff\u00ad\u034f\u115f\u3164',
  joiners: 'a\u200db\ufe0fc\u{e0041}\u{e0042}',
  family: '👩‍👩‍👧 family 👨🏽‍🚀 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣ 🇧🇷 🫠',
  wide: '日本語 한국어 中文 ｆｕｌｌ',
  combining: 'Ame\u0301lie สวัสดี नमस्ते مرحبًا',
  zalgo: `z${'\u0301\u0316'.repeat(50)}algo`,
  surrogate: 'lone \ud800 and \udc00 halves',
  formula: '=HYPERLINK("http://evil","x")',
  long: 'lorem ipsum '.repeat(834),
  longWide: '界'.repeat(2000),
  nothing: '\u200b\u200b',
} as const;

/** Generates any text, with hostile parts more often than by chance. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(...Object.values(hostile).map((text) => text.slice(0, 40))),
      fc.constantFrom(
        '\x1b',
        '[',
        ']',
        '\x9b',
        '\x07',
        '\u200d',
        '\ufe0f',
        '\u202e',
        '\ud83d',
        '\n',
        '👩',
        '0',
      ),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(''));

/**
 * Returns the columns of a text on a terminal: an emoji takes two, even if it consists of several code points;
 * otherwise each code point takes its own width, as in tmux, xterm and VTE.
 */
export function terminalWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const width = widths.get(segment) ?? characterWidth(segment);
    widths.set(segment, width);
    columns += width;
  }
  return columns;
}

const widths = new Map<string, number>();

function characterWidth(character: string): number {
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}|[\ufe0f\u20e3]/u.test(character))
    return stringWidth(character);
  const points = [...character].filter(
    (point) => !/[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u.test(point),
  );
  return points.reduce((columns, point) => columns + stringWidth(point), 0);
}

/**
 * Matches text that stays on one line even if it is too long, so that it can be copied: one word, such as an id or
 * address.
 */
export const copiedWhole = /^ *[!-~]{1,200}$/;

/** Matches everything in external text that must never reach a terminal, except for line breaks. */
export const dangerous =
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/u;
