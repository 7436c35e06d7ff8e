import { isUtf8 } from 'node:buffer';
import { join, parse } from 'node:path';
import { type Failure, inputFailure } from '../errors.ts';
import { findUnsendable } from '../text/characters.ts';
import { externalCommand, type Remark, remark } from '../text/remark.ts';

/** An encoding that a text may be in. */
interface Encoding {
  readonly name: 'UTF-8' | 'UTF-16';
  readonly mark: Buffer;
  /** U+FFFD in this encoding: in a decoded text it also stands for bytes that are wrong. */
  readonly replacement: Buffer;
  decode(bytes: Buffer): string;
  /** Returns how many bytes a text takes. */
  size(text: string): number;
}

const utf8: Encoding = {
  name: 'UTF-8',
  mark: Buffer.from([0xef, 0xbb, 0xbf]),
  replacement: Buffer.from('\uFFFD'),
  decode: (bytes) => bytes.toString('utf8'),
  size: (text) => Buffer.byteLength(text),
};

const encodings: readonly Encoding[] = [
  utf8,
  utf16('utf-16le', [0xff, 0xfe], [0xfd, 0xff]),
  utf16('utf-16be', [0xfe, 0xff], [0xff, 0xfd]),
];

function utf16(label: string, mark: readonly number[], lost: readonly number[]): Encoding {
  return {
    name: 'UTF-16',
    mark: Buffer.from(mark),
    replacement: Buffer.from(lost),
    decode: (bytes) => new TextDecoder(label, { ignoreBOM: true }).decode(bytes),
    size: (text) => text.length * 2,
  };
}

/** Where a text comes from. */
export interface TextSource {
  /** Path of its file; undefined for stdin. */
  readonly path: string | undefined;
  /** Its name in messages. */
  readonly label: string;
}

/** Stdin as the source of a text. */
export const stdinSource: TextSource = { path: undefined, label: 'stdin' };

/** Returns a file as the source of a text. */
export function fileSource(path: string): TextSource {
  return { path, label: path };
}

/**
 * Returns text from outside that may become part of a request, as `decodeText`.
 * @throws Failure as `decodeText`, and one that names the place of a character that must not be sent
 */
export function decodeSendableText(bytes: Buffer, source: TextSource): string {
  const decoded = decode(bytes, source);
  const found = findUnsendable(decoded.text);
  if (!found) return decoded.text;
  const problem = `${source.label} has ${found.what} at ${positionOf(decoded, found.index)}`;
  // UTF-16 without a mark is valid UTF-8 with a NUL in every other byte.
  const likely = decoded.text[found.index] === '\0' ? likelyEncoding(bytes) : undefined;
  throw likely === undefined
    ? inputFailure([`${problem}.`], found.cure)
    : encodingFailure(problem, likely, source);
}

/**
 * Returns text in UTF-8, or in UTF-16 with a byte order mark, without its mark. It may hold any character, as a file does in
 * which botctl wrote what the service holds.
 * @throws Failure `invalidInput` that names the place of anything else
 */
export function decodeText(bytes: Buffer, source: TextSource): string {
  return decode(bytes, source).text;
}

/** A text that was decoded. */
interface DecodedText {
  readonly encoding: Encoding;
  /** How many bytes the byte order mark takes. */
  readonly start: number;
  readonly text: string;
}

function decode(bytes: Buffer, source: TextSource): DecodedText {
  const marked = encodings.find(({ mark }) => bytes.subarray(0, mark.length).equals(mark));
  const encoding = marked ?? utf8;
  const start = marked?.mark.length ?? 0;
  const content = bytes.subarray(start);
  const decoded = { encoding, start, text: encoding.decode(content) };
  const wrong = firstInvalidIndex(decoded, content);
  if (wrong === undefined) return decoded;
  const problem = `${source.label} is not ${encoding.name} at ${positionOf(decoded, wrong)}`;
  throw encodingFailure(problem, likelyEncoding(bytes), source);
}

/** Returns the index in a decoded text where its bytes are wrong, or undefined if they are right. */
function firstInvalidIndex({ encoding, text }: DecodedText, content: Buffer): number | undefined {
  if (encoding === utf8 && isUtf8(content)) return undefined;
  const { replacement, size } = encoding;
  let [offset, before] = [0, 0];
  for (let index = text.indexOf('\uFFFD'); index >= 0; index = text.indexOf('\uFFFD', index + 1)) {
    // Everything before it is right, and so takes as many bytes as it took in the file.
    offset += size(text.slice(before, index));
    before = index;
    if (!content.subarray(offset, offset + replacement.length).equals(replacement)) return index;
  }
  return undefined;
}

/** Returns the place of a character in the file: `line 3, byte 57`, both counted from 1. */
function positionOf({ encoding, start, text }: DecodedText, index: number): string {
  const before = text.slice(0, index);
  return `line ${before.split('\n').length}, byte ${start + encoding.size(before) + 1}`;
}

/**
 * Returns the failure for a text in another encoding.
 * @param likely its encoding as iconv calls it, if it can be told
 */
function encodingFailure(problem: string, likely: string | undefined, { path }: TextSource): Failure {
  if (likely === undefined) return inputFailure([`${problem}.`], 'Save it as UTF-8 text.');
  return inputFailure([`${problem}; it looks like ${likely}.`], conversionHint(likely, path));
}

/**
 * Returns the command that converts a text to UTF-8, as a hint.
 * @param from its encoding as iconv calls it
 * @param path of its file; undefined for stdin
 */
export function conversionHint(from: string, path: string | undefined): Remark {
  const words = ['iconv', '-f', from, '-t', 'UTF-8'];
  if (path === undefined) return remark`Pipe it through this first: ${externalCommand(words)}`;
  const { dir, name, ext } = parse(path);
  const line = externalCommand([...words, path], join(dir, `${name}.utf-8${ext}`));
  return remark`Convert it, and check the result before you use it: ${line}`;
}

/** Byte order marks of UTF-32, which Node can't decode. That of UTF-32LE begins like that of UTF-16LE. */
const utf32Marks = [
  ['UTF-32LE', Buffer.from([0xff, 0xfe, 0, 0])],
  ['UTF-32BE', Buffer.from([0, 0, 0xfe, 0xff])],
] as const;

/** Bytes that show whether NULs lie as in UTF-16. */
const sampleBytes = 4096;

/** Returns the name of the encoding that bytes are probably in, if that is not UTF-8 and they are text at all. */
function likelyEncoding(bytes: Buffer): string | undefined {
  const marked = utf32Marks.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark));
  if (marked) return marked[0];
  if (bytes.includes(0)) {
    const nuls: [even: number, odd: number] = [0, 0];
    for (const [at, byte] of bytes.subarray(0, sampleBytes).entries())
      if (byte === 0) nuls[at % 2 === 0 ? 0 : 1] += 1;
    const [even, odd] = nuls;
    // In a language with other letters, only its blanks and punctuation have them.
    const fewest = Math.min(bytes.length, sampleBytes) / 20;
    if (odd > fewest && odd > 10 * even) return 'UTF-16LE';
    return even > fewest && even > 10 * odd ? 'UTF-16BE' : undefined;
  }
  // Without `stream`, Node 20 decodes it as Latin-1.
  const western = new TextDecoder('windows-1252').decode(bytes, { stream: true });
  return /[^\P{Cc}\t\n\v\f\r\x1b]/u.test(western) ? undefined : 'WINDOWS-1252';
}
