import { createHash, type Hash } from 'node:crypto';

/** Options for counting a text. */
export interface Counting {
  /** Also hash the text; the hash is the same if only the encoding or white space differs. */
  readonly digested?: boolean | undefined;
}

/**
 * Counts the characters of a text that arrives in pieces, in constant memory. The cuts between pieces make no difference, not
 * even inside a surrogate pair.
 *
 * The definition of `chars`: the number of Unicode code points of the text after dropping U+FEFF, U+00AD
 * and control characters that are not white space, replacing every run of Unicode White_Space by one
 * space, and trimming both ends. No normalisation.
 */
export class CharacterCounter {
  /** SHA-256 of the characters that are counted. */
  readonly #hash: Hash | undefined;
  #count = 0;
  #spaceBefore = false;
  #before = 0;

  constructor({ digested }: Counting = {}) {
    this.#hash = digested ? createHash('sha256') : undefined;
  }

  /** Characters of the text so far. */
  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    let counted = '';
    // Over code units, because splitting a text into code points takes many times its memory.
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      const isSecondHalf = isLowSurrogate(unit) && isHighSurrogate(this.#before);
      this.#before = unit;
      if (isWhiteSpace(unit)) this.#spaceBefore = true;
      else if (!isDropped(unit)) {
        const hasSpace = this.#spaceBefore && this.#count > 0;
        this.#spaceBefore = false;
        if (!isSecondHalf) this.#count += hasSpace ? 2 : 1;
        if (this.#hash) counted += hasSpace ? ` ${text[index]}` : text[index];
      }
    }
    // In UTF-8 half a surrogate pair would be U+FFFD.
    this.#hash?.update(counted, 'utf16le');
  }

  /** Returns the hash of the text in hex, if the counter takes one. Call it once, at the end. */
  digest(): string | undefined {
    return this.#hash?.digest('hex');
  }
}

/** Unicode property White_Space (PropList.txt, Unicode 15.1). */
function isWhiteSpace(unit: number): boolean {
  if (unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)) return true;
  if (unit < 0x85 || unit > 0x3000) return false;
  return (
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** Returns whether a character is a byte order mark, a soft hyphen, C0, DEL or C1. Check for white space first. */
function isDropped(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0x9f) || unit === 0xad || unit === 0xfeff;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
