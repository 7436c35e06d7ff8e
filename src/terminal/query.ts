/** What a terminal can be asked: what it is, and what colour it writes on. */
export type Question = 'name' | 'background';

/** What a terminal said of itself; undefined what it didn't. */
export interface Answers {
  /** As it calls itself, with its version: `kitty(0.35.2)`. */
  readonly name: string | undefined;
  readonly background: 'dark' | 'light' | undefined;
}

/** A terminal whose input is read raw, so that no answer is echoed. */
export interface Line {
  /** Writes a control sequence that shows nothing. */
  send(sequence: string): void;
  /** Calls back with each control sequence that the terminal sends. */
  onSequence(callback: (sequence: string) => void): void;
}

/** XTVERSION, and the query form of OSC 11 (xterm's ctlseqs). */
const asked: Readonly<Record<Question, string>> = {
  name: '\x1b[>q',
  background: '\x1b]11;?\x1b\\',
};

/** DA1. Every terminal answers it, and answers in order: what wasn't answered before it won't be. */
const fence = '\x1b[c';
const fenceAnswer = /^\x1b\[\?[\d;]*c$/;

/** Milliseconds that nobody minds. */
const usualPatience = 150;

/**
 * Asks a terminal. Gives what is known once it has answered, or after 150 ms.
 * @param onLate is called with each answer that comes later than that, as from afar it may
 */
export function askTerminal(
  line: Line,
  questions: readonly Question[],
  onLate: (answers: Answers) => void,
  patience = usualPatience,
): Promise<Answers> {
  let answers: Answers = { name: undefined, background: undefined };
  if (questions.length === 0) return Promise.resolve(answers);
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolve(answers);
    }, patience);
    line.onSequence((sequence) => {
      if (fenceAnswer.test(sequence)) {
        clearTimeout(timer);
        resolve(answers);
        return;
      }
      const learnt = answerIn(sequence);
      if (!learnt) return;
      answers = { ...answers, ...learnt };
      if (isLate) onLate(answers);
    });
    line.send(questions.map((question) => asked[question]).join('') + fence);
  });
}

/** What a sequence answers; undefined where it is no answer. */
function answerIn(sequence: string): Partial<Answers> | undefined {
  const [, name] = /^\x1bP>\|([ -~]*)\x1b\\$/.exec(sequence) ?? [];
  if (name !== undefined) return { name };
  const [, red, green, blue] =
    /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(sequence) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return { background: isLight(share(red), share(green), share(blue)) ? 'light' : 'dark' };
}

/** A hexadecimal number as a share of the largest one of so many digits (XParseColor). */
function share(digits: string): number {
  return Number.parseInt(digits, 16) / (16 ** digits.length - 1);
}

/** By luma (ITU-R BT.709). */
function isLight(red: number, green: number, blue: number): boolean {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5;
}
