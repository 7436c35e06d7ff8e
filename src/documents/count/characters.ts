import { createHash } from 'node:crypto';

/** How characters are counted: with every run of white space as one, or each as it stands. */
export type CountMode = 'collapsed' | 'raw';

/** Counts the characters of a text that arrives in pieces, in constant memory. */
export interface Counter {
  /** Characters of the text up to now. */
  readonly count: number;
  add(text: string): void;
  /** Returns the hash of the text in hex, if the counter takes one. Call it once, at the end. */
  digest?(): string;
}

/** How a text is counted. */
export interface Counting {
  readonly mode: CountMode;
  /** Also take a hash of the text, which is the same if only its encoding or white space differs. */
  readonly digested?: boolean | undefined;
}

/** Returns a counter for a text. */
export function newCounter({ mode, digested }: Counting): Counter {
  const counter = mode === 'raw' ? new RawCounter() : new CharacterCounter();
  return digested ? new DigestingCounter(counter) : counter;
}

/** Counts a text, and hashes the characters that `CharacterCounter` counts with SHA-256. The cuts between pieces change nothing. */
class DigestingCounter implements Counter {
  readonly #counter: Counter;
  readonly #hash = createHash('sha256');
  #spaceBefore = false;
  #isBlank = true;

  constructor(counter: Counter) {
    this.#counter = counter;
  }

  get count(): number {
    return this.#counter.count;
  }

  add(text: string): void {
    this.#counter.add(text);
    let counted = '';
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (isWhiteSpace(unit)) this.#spaceBefore = true;
      else if (!isDropped(unit)) {
        counted += this.#spaceBefore && !this.#isBlank ? ` ${text[index]}` : text[index];
        this.#spaceBefore = false;
        this.#isBlank = false;
      }
    }
    // In UTF-8 half a surrogate pair would be U+FFFD.
    this.#hash.update(counted, 'utf16le');
  }

  /** Returns the hash. Call it once, at the end. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}

/**
 * Counts code points as `wc -m` does, but skips byte order marks and counts CR LF as one. A text of white space alone has
 * none, as in the other mode.
 */
class RawCounter implements Counter {
  #count = 0;
  #isBlank = true;
  #before = 0;

  get count(): number {
    return this.#isBlank ? 0 : this.#count;
  }

  add(text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      const isSecond =
        (isLowSurrogate(unit) && isHighSurrogate(this.#before)) || (unit === 0x0a && this.#before === 0x0d);
      if (!isSecond && unit !== 0xfeff) this.#count += 1;
      if (this.#isBlank && isCounted(unit)) this.#isBlank = false;
      this.#before = unit;
    }
  }
}

/**
 * Counts the characters of a text that arrives in pieces, in constant memory.
 *
 * The definition of `chars`: the number of Unicode code points of the text after dropping U+FEFF, U+00AD
 * and control characters that are not white space, replacing every run of Unicode White_Space by one
 * space, and trimming both ends. No normalisation. The cuts between pieces make no difference, not even inside a
 * surrogate pair.
 */
export class CharacterCounter implements Counter {
  #count = 0;
  #spaceBefore = false;
  #before = 0;

  /** Characters of the text up to now. */
  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    // Over code units, because splitting a text into code points takes many times its memory.
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      const isSecond = isLowSurrogate(unit) && isHighSurrogate(this.#before);
      if (isWhiteSpace(unit)) this.#spaceBefore = true;
      else if (!isDropped(unit) && !isSecond) {
        this.#count += this.#spaceBefore && this.#count > 0 ? 2 : 1;
        this.#spaceBefore = false;
      }
      this.#before = unit;
    }
  }
}

function isCounted(unit: number): boolean {
  return !isWhiteSpace(unit) && !isDropped(unit);
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

/** True for a byte order mark, a soft hyphen, C0, DEL and C1. Check for white space first. */
function isDropped(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0x9f) || unit === 0xad || unit === 0xfeff;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
