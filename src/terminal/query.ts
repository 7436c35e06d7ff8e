/** A query to a terminal: the colour of its background, or whether it supports UTF-8. */
export type Question = 'background' | 'utf8';

/** The answers of a terminal; undefined if there is none. */
export interface Answers {
  readonly background: 'dark' | 'light' | undefined;
  /** True if it shows a block character of UTF-8 in one cell, false if it treats its bytes as several characters. */
  readonly utf8?: boolean | undefined;
}

/** A terminal in raw mode, so that no answer is echoed. */
export interface QueryChannel {
  /** Writes a control sequence that displays nothing. */
  send(sequence: string): void;
  /** Calls back with each control sequence from the terminal. */
  onSequence(callback: (sequence: string) => void): void;
}

/**
 * The query form of OSC 11 (xterm's ctlseqs). For UTF-8, writes a half block, requests the position of the cursor
 * (DSR 6), and erases the line. The letter after the block detects Latin-1, which treats two of the block's
 * three bytes as controls without a width.
 */
const querySequences: Readonly<Record<Question, string>> = {
  background: '\x1b]11;?\x1b\\',
  utf8: '\r▀é\x1b[6n\r\x1b[K',
};

/** DA1. Every terminal answers it, and answers in order: a query without an answer before it won't be answered. */
const fence = '\x1b[c';
const fenceAnswer = /^\x1b\[\?[\d;]*c$/;

/** Time to wait for the answers, in milliseconds: too short to be noticed. */
const answerTimeoutMs = 150;

/**
 * Queries a terminal.
 * @param onLate called with each answer after the timeout, for example over a slow connection
 * @returns the answers, once all are there or after the timeout
 */
export function askTerminal(
  line: QueryChannel,
  questions: readonly Question[],
  onLate: (answers: Answers) => void,
  timeoutMs = answerTimeoutMs,
): Promise<Answers> {
  let answers: Answers = { background: undefined };
  if (questions.length === 0) return Promise.resolve(answers);
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolve(answers);
    }, timeoutMs);
    line.onSequence((sequence) => {
      if (fenceAnswer.test(sequence)) {
        clearTimeout(timer);
        resolve(answers);
        return;
      }
      const answer = answerIn(sequence);
      // A function key may look like the position of a cursor.
      const isKey = answer?.utf8 !== undefined && (!questions.includes('utf8') || answers.utf8 !== undefined);
      if (!answer || isKey) return;
      answers = { ...answers, ...answer };
      if (isLate) onLate(answers);
    });
    line.send(questions.map((question) => querySequences[question]).join('') + fence);
  });
}

/** Returns the answer in a sequence, or undefined if there is none. */
function answerIn(sequence: string): Partial<Answers> | undefined {
  const [, column] = /^\x1b\[\d+;(\d+)R$/.exec(sequence) ?? [];
  if (column !== undefined) return { utf8: column === '3' };
  const [, red, green, blue] =
    /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(sequence) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return { background: isLight(fraction(red), fraction(green), fraction(blue)) ? 'light' : 'dark' };
}

/** Returns a hexadecimal number as a fraction of the largest one with the same digits (XParseColor). */
function fraction(digits: string): number {
  return Number.parseInt(digits, 16) / (16 ** digits.length - 1);
}

/** By luma (ITU-R BT.709). */
function isLight(red: number, green: number, blue: number): boolean {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5;
}
