import { type ByteSource, readWindow } from './bytes.ts';
import { CharacterCounter, type Counting } from './characters.ts';
import { Unreadable } from './readers/reader.ts';
import { checkNotEscaped, checkNotHz, UnsupportedEncoding } from './seven-bit.ts';

/** The characters of a text, and its encoding. */
export interface TextCount {
  readonly chars: number;
  readonly encoding: string;
  /** The encoding is a statistical guess. */
  readonly guessed: boolean;
  /** The hash of its text, if requested. */
  readonly digest?: string;
}

/**
 * Detects the encoding of a text and counts its characters, in constant memory. The rules, in order: a byte
 * order mark; NUL bytes in the positions of UTF-16; any other NUL is not text; an ISO-2022 encoding
 * is unsupported; too many control bytes are not text; the whole as strict UTF-8, unless it is HZ; a guess.
 *
 * @returns undefined for anything that is not text
 * @throws UnsupportedEncoding; Unreadable `corrupt` for truncated UTF-16
 */
export async function countText(source: ByteSource, counting: Counting = {}): Promise<TextCount | undefined> {
  const marked = encodingByMark(await readWindow(source, 0, 4));
  // TextDecoder doesn't support it.
  if (marked?.startsWith('UTF-32')) throw new UnsupportedEncoding(marked);
  if (marked) return countAs(source, marked, counting);
  const survey = await surveyBytes(source, counting);
  const nulls = survey.nulls[0] + survey.nulls[1];
  if (nulls > 0) {
    const wide = wideEncoding(survey);
    return wide === undefined ? undefined : countAs(source, wide, counting);
  }
  if (survey.hasEscape && survey.firstNonAscii < 0) await checkNotEscaped(source);
  if (survey.controls > survey.length * maxControls) return undefined;
  if (survey.utf8) {
    await checkNotHz(source);
    return { ...survey.utf8, encoding: 'UTF-8', guessed: false };
  }
  const encoding = await guessEncoding(source, survey.firstNonAscii);
  return { ...(await countAs(source, encoding, counting)), guessed: true };
}

/** Byte order marks. That of UTF-32LE starts with that of UTF-16LE, so it comes first. */
const marks: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['UTF-32LE', [0xff, 0xfe, 0x00, 0x00]],
  ['UTF-32BE', [0x00, 0x00, 0xfe, 0xff]],
  ['UTF-8', [0xef, 0xbb, 0xbf]],
  ['UTF-16LE', [0xff, 0xfe]],
  ['UTF-16BE', [0xfe, 0xff]],
];

function encodingByMark(head: Uint8Array): string | undefined {
  return marks.find(([, mark]) => mark.every((byte, index) => head[index] === byte))?.[0];
}

/** More than this share of control bytes makes a file binary. */
const maxControls = 0.02;

interface Survey {
  readonly length: number;
  /** NUL bytes at even and at odd offsets. */
  readonly nulls: readonly [even: number, odd: number];
  readonly controls: number;
  readonly hasEscape: boolean;
  readonly firstNonAscii: number;
  /** The count as UTF-8, or undefined if the bytes are not valid UTF-8. */
  readonly utf8: CountResult | undefined;
}

type CountResult = Pick<TextCount, 'chars' | 'digest'>;

function countResult(counter: CharacterCounter): CountResult {
  const digest = counter.digest();
  return { chars: counter.count, ...(digest !== undefined && { digest }) };
}

/** One pass over all bytes, which is enough for a text in UTF-8. */
async function surveyBytes(source: ByteSource, counting: Counting): Promise<Survey> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const counter = new CharacterCounter(counting);
  let isUtf8 = true;
  const add = (bytes?: Uint8Array): void => {
    try {
      if (isUtf8) counter.add(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch {
      isUtf8 = false;
    }
  };
  const nulls: [number, number] = [0, 0];
  let length = 0;
  let controls = 0;
  let hasEscape = false;
  let firstNonAscii = -1;
  for await (const bytes of source()) {
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (byte >= 0x80) {
        if (firstNonAscii < 0) firstNonAscii = length + index;
      } else if (byte === 0) {
        nulls[(length + index) % 2 === 0 ? 0 : 1] += 1;
      } else if (byte === 0x1b) {
        // Terminal logs and texts in ISO-2022 contain many.
        hasEscape = true;
      } else if (isControl(byte)) {
        controls += 1;
      }
    }
    add(bytes);
    length += bytes.length;
  }
  add();
  const utf8 = isUtf8 ? countResult(counter) : undefined;
  return { length, nulls, controls, hasEscape, firstNonAscii, utf8 };
}

/** Returns whether a byte is a control character other than white space. */
function isControl(byte: number): boolean {
  return (byte < 0x20 && (byte < 0x09 || byte > 0x0d)) || byte === 0x7f;
}

/** Detects UTF-16 without a mark: Western text has its NULs at even or at odd offsets. */
function wideEncoding({ length, nulls: [even, odd] }: Survey): string | undefined {
  const half = length / 2;
  if (odd > half * 0.2 && even < half * 0.02) return 'UTF-16LE';
  if (even > half * 0.2 && odd < half * 0.02) return 'UTF-16BE';
  return undefined;
}

/** The bytes for the guess: before and from the first one that is not ASCII. */
const windowBefore = 4 * 1024;
const windowAfter = 64 * 1024;

async function guessEncoding(source: ByteSource, firstNonAscii: number): Promise<string> {
  const start = Math.max(firstNonAscii - windowBefore, 0);
  const window = await readWindow(source, start, windowBefore + windowAfter);
  const isToEnd = window.length < windowBefore + windowAfter;
  const { analyse } = await import('chardet');
  // It has a byte that is not ASCII.
  const guess = analyse(window).find(({ name }) => name !== 'ASCII' && isDecodable(name, window, isToEnd));
  // In a single-byte encoding every byte is a character, so a wrong guess hardly changes the count.
  return guess?.name ?? 'windows-1252';
}

/** If more characters than this share are undefined in an encoding, it is the wrong one. */
const maxUnknown = 0.01;

/** Returns whether nearly all bytes are defined in an encoding; a character truncated by the end of the file is not an error. */
function isDecodable(encoding: string, window: Uint8Array, isToEnd: boolean): boolean {
  try {
    const decoder = new TextDecoder(encoding);
    const text = decoder.decode(window, { stream: true }) + (isToEnd ? decoder.decode() : '');
    return text.split('\ufffd').length - 1 <= text.length * maxUnknown;
  } catch {
    return false;
  }
}

/** @throws Unreadable `corrupt` for UTF-16 that ends within a code unit */
async function countAs(source: ByteSource, encoding: string, counting: Counting): Promise<TextCount> {
  const decoder = new TextDecoder(encoding);
  const counter = new CharacterCounter(counting);
  let length = 0;
  // Without `stream`, Node 20 decodes windows-1252 as Latin-1: its quotes become control characters.
  for await (const bytes of source()) {
    counter.add(decoder.decode(bytes, { stream: true }));
    length += bytes.length;
  }
  counter.add(decoder.decode());
  if (encoding.startsWith('UTF-16') && length % 2 !== 0)
    throw new Unreadable('corrupt', `is ${encoding} cut off within a character`);
  return { ...countResult(counter), encoding, guessed: false };
}
