import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import stringWidth from 'string-width';
import type { Input, Io, Output } from '../../src/lib/io.ts';
import type { PresentOptions } from '../../src/output/options.ts';
import { type PresentResult, present } from '../../src/output/present.ts';
import type { OutputShape, Results } from '../../src/output/shape.ts';
import { anyCharacter } from '../support/any-character.ts';

/** Keeps what is written to it; a terminal where it is given columns. */
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

/** A terminal that can clear a line, as a spinner needs it. */
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

/** Streams of a fake process. */
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

/** A keyboard: what is written to it is typed. */
export function keyboard(): PassThrough & Input {
  return Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
}

export const now = Date.parse('2026-11-21T10:00:00Z');

/** How a result is presented in a test; a pipe where no columns are given. */
export interface Way extends Partial<PresentOptions['options']> {
  readonly columns?: number | undefined;
  readonly env?: Io['env'];
}

/** The output of a result on stdout. */
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

/** Rows that arrive one after the other. */
export async function* arriving<T>(...rows: readonly T[]): AsyncGenerator<T> {
  for (const row of rows) {
    await Promise.resolve();
    yield row;
  }
}

/** Hostile or unusual text, by what it attempts. */
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

/** Any text at all, with hostile pieces more often than chance would give. */
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
 * Columns that a text takes on a terminal: pictures two, whatever they are made of; otherwise what each code
 * point takes by itself, as tmux, xterm and VTE count.
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

/** What stays on one line wherever it ends, so that it can be copied: one word, as an id or address is. */
export const copiedWhole = /^ *[!-~]{1,200}$/;

/** Matches everything in foreign text that must never reach a terminal, except for line breaks. */
export const dangerous =
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/u;
