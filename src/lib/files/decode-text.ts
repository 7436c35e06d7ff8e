import { isUtf8 } from 'node:buffer';
import { join, parse } from 'node:path';
import { type Failure, inputFailure } from '../errors.ts';
import { findUnsendable } from '../text/characters.ts';
import { externalCommand, type Remark, remark } from '../text/remark.ts';

/** A supported encoding of text. */
interface Encoding {
  readonly name: 'UTF-8' | 'UTF-16';
  readonly mark: Buffer;
  /** U+FFFD in this encoding. In a decoded text U+FFFD also represents invalid bytes. */
  readonly replacement: Buffer;
  decode(bytes: Buffer): string;
  /** Returns the size of a text in bytes. */
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

/** The source of a text. */
export interface TextSource {
  /** Path of its file; undefined for stdin. */
  readonly path: string | undefined;
  /** Its name in messages. */
  readonly label: string;
}

/** Stdin as a source of text. */
export const stdinSource: TextSource = { path: undefined, label: 'stdin' };

/** Returns a file as a source of text. */
export function fileSource(path: string): TextSource {
  return { path, label: path };
}

/**
 * Decodes text from outside that may become part of a request, as `decodeText`.
 * @throws Failure as `decodeText`, and one with the position of a character that must not be sent
 */
export function decodeSendableText(bytes: Buffer, source: TextSource): string {
  const decoded = decode(bytes, source);
  const found = findUnsendable(decoded.text);
  if (!found) return decoded.text;
  const problem = `${source.label} has ${found.what} at ${positionOf(decoded, found.index)}`;
  // UTF-16 without a byte order mark is valid UTF-8 with a NUL in every other byte.
  const likely = decoded.text[found.index] === '\0' ? likelyEncoding(bytes) : undefined;
  throw likely === undefined
    ? inputFailure([`${problem}.`], found.cure)
    : encodingFailure(problem, likely, source);
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, and removes the mark. Any character is allowed, because botctl
 * itself writes files with data of the service.
 * @throws Failure `invalidInput` with the position of invalid bytes
 */
export function decodeText(bytes: Buffer, source: TextSource): string {
  return decode(bytes, source).text;
}

/** A decoded text. */
interface DecodedText {
  readonly encoding: Encoding;
  /** Size of the byte order mark in bytes. */
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

/** Returns the index of the first invalid bytes in a decoded text, or undefined if there are none. */
function firstInvalidIndex({ encoding, text }: DecodedText, content: Buffer): number | undefined {
  if (encoding === utf8 && isUtf8(content)) return undefined;
  const { replacement, size } = encoding;
  let [offset, before] = [0, 0];
  for (let index = text.indexOf('\uFFFD'); index >= 0; index = text.indexOf('\uFFFD', index + 1)) {
    // Everything before the index is valid, so its size is the same as in the file.
    offset += size(text.slice(before, index));
    before = index;
    if (!content.subarray(offset, offset + replacement.length).equals(replacement)) return index;
  }
  return undefined;
}

/** Returns the position of a character in the file: `line 3, byte 57`, both counted from 1. */
function positionOf({ encoding, start, text }: DecodedText, index: number): string {
  const before = text.slice(0, index);
  return `line ${before.split('\n').length}, byte ${start + encoding.size(before) + 1}`;
}

/**
 * Returns the failure for a text in another encoding.
 * @param likely its probable encoding by iconv's name, if known
 */
function encodingFailure(problem: string, likely: string | undefined, { path }: TextSource): Failure {
  if (likely === undefined) return inputFailure([`${problem}.`], 'Save it as UTF-8 text.');
  return inputFailure([`${problem}; it looks like ${likely}.`], conversionHint(likely, path));
}

/**
 * Returns a hint with the command that converts a text to UTF-8.
 * @param from its encoding by iconv's name
 * @param path of its file; undefined for stdin
 */
export function conversionHint(from: string, path: string | undefined): Remark {
  const words = ['iconv', '-f', from, '-t', 'UTF-8'];
  if (path === undefined) return remark`Convert it first: ${externalCommand(words)}`;
  const { dir, name, ext } = parse(path);
  const line = externalCommand([...words, path], join(dir, `${name}.utf-8${ext}`));
  return remark`Convert it and check the result: ${line}`;
}

/** Byte order marks of UTF-32, which Node can't decode. That of UTF-32LE begins like that of UTF-16LE. */
const utf32Marks = [
  ['UTF-32LE', Buffer.from([0xff, 0xfe, 0, 0])],
  ['UTF-32BE', Buffer.from([0, 0, 0xfe, 0xff])],
] as const;

/** Number of bytes examined for the NUL pattern of UTF-16. */
const sampleBytes = 4096;

/** Returns the probable encoding of bytes, if they are text in an encoding other than UTF-8. */
function likelyEncoding(bytes: Buffer): string | undefined {
  const marked = utf32Marks.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark));
  if (marked) return marked[0];
  if (bytes.includes(0)) {
    const nuls: [even: number, odd: number] = [0, 0];
    for (const [at, byte] of bytes.subarray(0, sampleBytes).entries())
      if (byte === 0) nuls[at % 2 === 0 ? 0 : 1] += 1;
    const [even, odd] = nuls;
    // In a non-Latin script, only spaces and punctuation have a NUL byte.
    const fewest = Math.min(bytes.length, sampleBytes) / 20;
    if (odd > fewest && odd > 10 * even) return 'UTF-16LE';
    return even > fewest && even > 10 * odd ? 'UTF-16BE' : undefined;
  }
  // Without `stream`, Node 20 decodes it as Latin-1.
  const western = new TextDecoder('windows-1252').decode(bytes, { stream: true });
  return /[^\P{Cc}\t\n\v\f\r\x1b]/u.test(western) ? undefined : 'WINDOWS-1252';
}
