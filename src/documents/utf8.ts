import { isUtf8 } from 'node:buffer';
import { type Counted, countAscii } from './ascii.ts';
import type { ByteSource } from './bytes.ts';
import { isDropped, isWhiteSpace } from './characters.ts';

/**
 * Counts a text in UTF-8 as `CharacterCounter` counts it decoded, by its bytes: decoding takes longer than all the rest.
 *
 * @returns undefined, as soon as it is seen, for what isn't UTF-8, or has a control character other than white space: that
 * may be something else
 */
export async function countUtf8(source: ByteSource): Promise<number | undefined> {
  const counter = new Utf8Counter();
  for await (const bytes of wholeCharacters(source())) {
    if (!isUtf8(bytes) || !counter.add(bytes)) return undefined;
  }
  return counter.count;
}

/** Gives bytes again in pieces that end, where they are UTF-8, with a whole character; only the last may be without its end. */
export async function* wholeCharacters(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const bytes of source) {
    const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
    const whole = all.subarray(0, lengthOfWhole(all));
    rest = Uint8Array.from(all.subarray(whole.length));
    yield whole;
  }
  if (rest.length > 0) yield rest;
}

/** Returns the length without a character at the end that has only begun. */
function lengthOfWhole(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sizeOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** Bytes of a character, by its first (RFC 3629, 3). */
function sizeOf(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

class Utf8Counter {
  readonly #counted: Counted = { count: 0, word: 1 };

  get count(): number {
    return this.#counted.count;
  }

  /**
   * @param bytes whole characters, and valid
   * @returns false where there is a control character
   */
  add(bytes: Uint8Array): boolean {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let index = 0;
    while (index < bytes.length) {
      // White space before the first character doesn't count, which is left to the other way.
      if (this.#counted.count > 0) index = countAscii(view, index, this.#counted);
      index = this.#addOthers(view, index);
      if (index < 0) return false;
    }
    return true;
  }

  /**
   * The next character, and those after it that aren't ASCII.
   * @returns the place after them, or -1 at a control character
   */
  #addOthers(view: DataView, start: number): number {
    let { count, word } = this.#counted;
    const end = view.byteLength;
    let index = start;
    while (index < end) {
      const first = view.getUint8(index);
      if (index > start && first < 0x80) break;
      const size = sizeOf(first);
      const unit = mayBeSpecial(first) ? unitAt(view, index, size) : undefined;
      if (unit !== undefined && isWhiteSpace(unit)) word = 0;
      else if (unit === undefined || !isDropped(unit)) {
        count += word === 0 && count > 0 ? 2 : 1;
        word = 1;
      } else if (size === 1) return -1;
      index += size;
    }
    this.#counted.count = count;
    this.#counted.word = word;
    return index;
  }
}

/** True if a character that begins so may be white space, or one that doesn't count. */
function mayBeSpecial(first: number): boolean {
  return (
    first <= 0x20 || first === 0x7f || first === 0xc2 || (first >= 0xe1 && first <= 0xe3) || first === 0xef
  );
}

/** Returns the character of one to three bytes at a place, which UTF-16 has as one unit. */
function unitAt(view: DataView, index: number, size: number): number {
  const first = view.getUint8(index);
  if (size === 1) return first;
  const second = view.getUint8(index + 1) & 0x3f;
  if (size === 2) return ((first & 0x1f) << 6) | second;
  return ((first & 0x0f) << 12) | (second << 6) | (view.getUint8(index + 2) & 0x3f);
}
