import { createHash } from 'node:crypto';
import { type Counted, countAscii } from './ascii.ts';

/** How characters are counted: with every run of white space as one, or each as it stands. */
export type CountMode = 'collapsed' | 'raw';

/** Counts the characters of a text that arrives in pieces, in constant memory. */
export interface Counter {
  /** Characters of the text up to now. */
  readonly count: number;
  add(text: string): void;
  /** Returns the hash of the text, in hex; only where it was to be taken. To be called once, at the end. */
  digest?(): string;
}

/** How a text is counted. */
export interface Counting {
  readonly mode: CountMode;
  /** Also take a hash of the text, by which it is known again in other bytes. */
  readonly digested?: boolean | undefined;
}

/** Returns a counter for a text. */
export function newCounter({ mode, digested }: Counting): Counter {
  const counter = mode === 'raw' ? new RawCounter() : new CharacterCounter();
  return digested ? new DigestingCounter(counter) : counter;
}

/** Counts, and takes the SHA-256 of the characters that `CharacterCounter` counts, whatever the places where it is cut. */
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

  /** To be called once, at the end. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}

/**
 * Counts code points as `wc -m` does, but for byte order marks, and with CR LF as one. A text of nothing but white space
 * has none, as in the other way of counting.
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

const [white, counted, dropped, secondHalf] = [0, 1, 2, 3] as const;

/** What each code unit is to a counter. */
const kinds = Uint8Array.from({ length: 0x10000 }, (_, unit) => {
  if (isWhiteSpace(unit)) return white;
  if (isDropped(unit)) return dropped;
  return isLowSurrogate(unit) ? secondHalf : counted;
});

/**
 * Counts the characters of a text that arrives in pieces, in constant memory.
 *
 * The definition of `chars`: the number of Unicode code points of the text after dropping U+FEFF, U+00AD
 * and control characters that are not white space, replacing every run of Unicode White_Space by one
 * space, and trimming both ends. No normalisation. The places where the pieces are cut make no difference, not
 * even inside a surrogate pair.
 */
export class CharacterCounter implements Counter {
  readonly #counted: Counted = { count: 0, word: 1 };
  #last = 0;

  /** Characters of the text up to now. */
  get count(): number {
    return this.#counted.count;
  }

  add(text: string): void {
    let index = this.#addAscii(text, this.#counted.count === 0 ? firstCounted(text) : 0);
    let { count } = this.#counted;
    let space = 1 - this.#counted.word;
    // Over code units, not code points: splitting a text into code points takes many times its memory.
    for (; index < text.length; index += 1) {
      const kind = kinds[text.charCodeAt(index)] ?? dropped;
      // Without a branch for each of the two that most units are of: which comes next, a processor can't foresee.
      if (kind <= counted) {
        count += kind + (kind & space);
        space = kind ^ counted;
      } else if (
        kind === secondHalf &&
        !isHighSurrogate(index > 0 ? text.charCodeAt(index - 1) : this.#last)
      ) {
        count += 1 + space;
        space = 0;
      }
    }
    this.#counted.count = count;
    this.#counted.word = 1 - space;
    if (text !== '') this.#last = text.charCodeAt(text.length - 1);
  }

  /** Counts the start of a long text as far as it is ASCII, which is quicker by its bytes. Returns the place after it. */
  #addAscii(text: string, start: number): number {
    const step = Math.floor((text.length - start) / samples);
    if (step === 0) return start;
    // Most texts that aren't ASCII show it here.
    for (let at = start; at < text.length; at += step) if (text.charCodeAt(at) > 0x7f) return start;
    const bytes = Buffer.from(text);
    return countAscii(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), start, this.#counted);
  }
}

/** Units that are looked at before a text is made bytes of, which is not worth it for a shorter one. */
const samples = 64;

/** Returns the place of the first unit that counts, or the length of a text where none does. */
function firstCounted(text: string): number {
  let index = 0;
  while (index < text.length && !isCounted(text.charCodeAt(index))) index += 1;
  return index;
}

function isCounted(unit: number): boolean {
  return !isWhiteSpace(unit) && !isDropped(unit);
}

/** Unicode property White_Space (PropList.txt, Unicode 15.1). */
export function isWhiteSpace(unit: number): boolean {
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

/** Byte order mark, soft hyphen, C0, DEL and C1. White space is asked for before. */
export function isDropped(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0x9f) || unit === 0xad || unit === 0xfeff;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
