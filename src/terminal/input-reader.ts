import { ownMember } from '../lib/json-object.ts';

/**
 * A key press on a screen: a character, or `enter`, `escape`, `interrupt`, `suspend`, `up`, `down`, `page-up`,
 * `page-down`, `home`, `end`.
 */
export type Key = string;

/** Receives the input of a terminal. */
export interface InputListener {
  key(key: Key): void;
  /** A complete control sequence that is not a key press: an answer, or a function key without a name here. */
  sequence(sequence: string): void;
}

/** Time to wait for the rest of a sequence, in milliseconds; if it does not come, the input was a key, Escape or Alt. */
const sequenceTimeoutMs = 100;

/** A control sequence, a character of a keypad, a control string, or a key with Alt (ECMA-48, 5.4). */
const wholeSequence =
  /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[P\]X^_][^\x00-\x1f]*(?:\x07|\x1b\\)|[^[OP\]X^_\x00-\x1f])/;
/** The beginning of a sequence. */
const partialSequence = /^\x1b(?:\[[0-?]*[ -/]*|O|[P\]X^_][^\x00-\x1f]*\x1b?)?$/;
/** The rest of a broken sequence. */
const brokenSequence = /^\x1b(?:[P\]X^_][^\x00-\x1f]*|\[[0-?]*[ -/]*|O)?/;

/**
 * Separates keys from sequences in the input of a terminal, regardless of chunks. No part of an
 * answer is ever treated as a key.
 */
export class InputReader {
  #pending = '';
  #timer: NodeJS.Timeout | undefined;
  readonly #listener: InputListener;

  constructor(listener: InputListener) {
    this.#listener = listener;
  }

  feed(chunk: string): void {
    clearTimeout(this.#timer);
    let text = this.#pending + chunk;
    this.#pending = '';
    while (text !== '') {
      if (partialSequence.test(text)) {
        this.#pending = text;
        this.#timer = setTimeout(() => this.#flush(), sequenceTimeoutMs);
        return;
      }
      text = text.slice(this.#next(text));
    }
  }

  /** Discards an incomplete sequence. */
  close(): void {
    clearTimeout(this.#timer);
    this.#pending = '';
  }

  /** Passes on the first key or sequence in the text, and returns its length. */
  #next(text: string): number {
    if (!text.startsWith('\x1b')) {
      const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
      this.#listener.key(ownMember(namedKeys, character) ?? character);
      return character.length;
    }
    const [sequence] = wholeSequence.exec(text) ?? [];
    if (sequence !== undefined) {
      const key = ownMember(keySequences, sequence);
      if (key === undefined) this.#listener.sequence(sequence);
      else this.#listener.key(key);
      return sequence.length;
    }
    const length = brokenSequence.exec(text)?.[0].length ?? 1;
    if (length === 1) this.#listener.key('escape');
    return length;
  }

  #flush(): void {
    if (this.#pending === '\x1b') this.#listener.key('escape');
    this.#pending = '';
  }
}

const namedKeys: Readonly<Record<string, Key>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\x03': 'interrupt',
  '\x1a': 'suspend',
};

/** The sequences for cursor keys: xterm's two modes, and those of the Linux console and rxvt for Home and End. */
const keySequences: Readonly<Record<string, Key>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b[H': 'home',
  '\x1bOH': 'home',
  '\x1b[1~': 'home',
  '\x1b[7~': 'home',
  '\x1b[F': 'end',
  '\x1bOF': 'end',
  '\x1b[4~': 'end',
  '\x1b[8~': 'end',
};
