import type { Key } from './terminal.ts';

/** Who is told what a terminal sends. */
export interface Listener {
  key(key: Key): void;
  /** A whole control sequence: an answer, a function key, or anything else that is no character. */
  sequence(sequence: string): void;
}

/** Milliseconds after which the rest of a sequence isn't coming: what came was a key, Escape or Alt. */
const restPatience = 100;

/** A control sequence, a character of a keypad, a control string, and what Alt makes of a key (ECMA-48, 5.4). */
const whole = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[P\]X^_][^\x00-\x1f]*(?:\x07|\x1b\\)|[^[OP\]X^_\x00-\x1f])/;
/** The beginning of one. */
const begun = /^\x1b(?:\[[0-?]*[ -/]*|O|[P\]X^_][^\x00-\x1f]*\x1b?)?$/;
/** What is left of one that went wrong. */
const broken = /^\x1b(?:[P\]X^_][^\x00-\x1f]*|\[[0-?]*[ -/]*|O)?/;

/**
 * Tells keys from the sequences in what a terminal sends, wherever the chunks of it end. Nothing of an
 * answer is ever taken for a key.
 */
export class InputReader {
  #rest = '';
  #timer: NodeJS.Timeout | undefined;
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  feed(chunk: string): void {
    clearTimeout(this.#timer);
    let text = this.#rest + chunk;
    this.#rest = '';
    while (text !== '') {
      if (begun.test(text)) {
        this.#rest = text;
        this.#timer = setTimeout(() => this.#giveUp(), restPatience);
        return;
      }
      text = text.slice(this.#next(text));
    }
  }

  /** Forgets what began and never ended. */
  close(): void {
    clearTimeout(this.#timer);
    this.#rest = '';
  }

  /** Tells what stands first in the text. Gives its length. */
  #next(text: string): number {
    if (!text.startsWith('\x1b')) {
      const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
      this.#listener.key(namedKeys[character] ?? character);
      return character.length;
    }
    const [sequence] = whole.exec(text) ?? [];
    if (sequence !== undefined) {
      this.#listener.sequence(sequence);
      return sequence.length;
    }
    const length = broken.exec(text)?.[0].length ?? 1;
    if (length === 1) this.#listener.key('escape');
    return length;
  }

  #giveUp(): void {
    if (this.#rest === '\x1b') this.#listener.key('escape');
    this.#rest = '';
  }
}

const namedKeys: Readonly<Record<string, Key>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\x03': 'interrupt',
};
