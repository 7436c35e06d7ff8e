/** A question to a terminal: the colour of its background, or whether it shows UTF-8. */
export type Question = 'background' | 'utf8';

/** The answers of a terminal; undefined for what it didn't answer. */
export interface Answers {
  readonly background: 'dark' | 'light' | undefined;
  /** True if it shows a block character of UTF-8 in one cell, false if it takes its bytes for several characters. */
  readonly utf8?: boolean | undefined;
}

/** A terminal whose input is read raw, so that no answer is echoed. */
export interface QueryChannel {
  /** Writes a control sequence that shows nothing. */
  send(sequence: string): void;
  /** Calls back with each control sequence that the terminal sends. */
  onSequence(callback: (sequence: string) => void): void;
}

/**
 * The query form of OSC 11 (xterm's ctlseqs). For UTF-8 a half block is written, the position of the cursor
 * asked for (DSR 6), and the line erased. The letter after it tells Latin-1 apart: of the block's three bytes that takes
 * two for controls without a width.
 */
const querySequences: Readonly<Record<Question, string>> = {
  background: '\x1b]11;?\x1b\\',
  utf8: '\r▀é\x1b[6n\r\x1b[K',
};

/** DA1. Every terminal answers it, and answers in order: a question that wasn't answered before it won't be answered. */
const fence = '\x1b[c';
const fenceAnswer = /^\x1b\[\?[\d;]*c$/;

/** Time to wait for the answers, in milliseconds: not long enough to be noticed. */
const answerTimeoutMs = 150;

/**
 * Asks a terminal.
 * @param onLate called with each answer that comes after the time-out, as it may over a slow connection
 * @returns the answers, once all are there or after the time-out
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

/** Returns the answer in a sequence, or undefined if it is none. */
function answerIn(sequence: string): Partial<Answers> | undefined {
  const [, column] = /^\x1b\[\d+;(\d+)R$/.exec(sequence) ?? [];
  if (column !== undefined) return { utf8: column === '3' };
  const [, red, green, blue] =
    /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(sequence) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return { background: isLight(fraction(red), fraction(green), fraction(blue)) ? 'light' : 'dark' };
}

/** Returns a hexadecimal number as a fraction of the largest one of so many digits (XParseColor). */
function fraction(digits: string): number {
  return Number.parseInt(digits, 16) / (16 ** digits.length - 1);
}

/** By luma (ITU-R BT.709). */
function isLight(red: number, green: number, blue: number): boolean {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5;
}
