import type { Writable } from 'node:stream';
import type { ConsentQuestion } from '../lib/consent.ts';
import { Failure } from '../lib/errors.ts';
import { type Io, isInteractive } from '../lib/io.ts';
import { isPlain } from './accessible.ts';
import { type Choice, labelOf, linesOf, matchingChoices } from './choice.ts';
import { colorLevel, takesUnicode } from './colour.ts';
import { sanitise } from './sanitise.ts';
import { canSuspend, stopGroup, suspend } from './suspend.ts';
import { type Ruler, rulerFor, wrapRemark } from './width.ts';

interface Question {
  readonly message: string;
  /** The option that answers it: `--key-id`. */
  readonly option: string;
  /** The failure instead of the question if there is no terminal. */
  readonly ifUnavailable?: {
    readonly message: string;
    /** Why an option that was given doesn't answer it. */
    readonly why?: string | undefined;
  };
  /** The question for a program that asks in place of the terminal; undefined if only a terminal can ask it. */
  readonly consent?: ConsentQuestion;
}

/**
 * Questions to the user. Without a terminal, in CI or with `--no-input`, each throws a usage `Failure` that
 * names `option`, the option that answers it. Ctrl-C throws `interrupted`, the end of the input `declined`.
 */
export interface Prompts {
  /** True if questions are possible. */
  readonly available: boolean;
  text(
    question: Question & {
      readonly fallback?: string;
      validate?(answer: string): string | true | Promise<string | true>;
    },
  ): Promise<string>;
  /** Asks for a text without echo. */
  secret(question: Question): Promise<string>;
  /** Asks y/N, default No; with the fallback true Y/n, default Yes. */
  yes(question: Question & { readonly fallback?: boolean }): Promise<boolean>;
  /** Asks to type one of the names. Returns true if the user did; any other answer means no. */
  typedName(question: Question & { readonly names: readonly string[] }): Promise<boolean>;
  /** Asks to choose from a list, with a search by name. */
  choose<T>(question: Question & { readonly choices: readonly Choice<T>[] }): Promise<T>;
}

/** The options that decide whether to ask, and whether in colour. */
export interface PromptOptions {
  /** False with `--no-input`, `BOTCTL_NO_INPUT` and in CI. */
  readonly input: boolean;
  readonly color: boolean;
}

/**
 * Creates the prompts of a command. The library is loaded for the first question.
 * @param stop the action of Ctrl-Z once the terminal is restored
 */
export function createPrompts(io: Io, options: PromptOptions, stop: () => void = stopGroup): Prompts {
  const available = (): boolean => options.input && isInteractive(io);
  const ask = async <T>(
    question: Question,
    prompt: (asker: Asker) => Promise<T>,
    promptPlainly: (plain: typeof import('./plain-questions.ts')) => Promise<T>,
  ): Promise<T> => {
    if (!available()) throw unansweredFailure(question, io);
    if (isPlain(io.env)) return promptPlainly(await import('./plain-questions.ts'));
    const library = await import('./prompt-setup.ts');
    const theme = library.promptTheme(colorLevel(io.stderr, io.env, options.color) > 0, takesUnicode(io.env));
    const message = await wrapQuestion(sanitise(question.message), io);
    return askSuspendable(io, stop, (signal) =>
      prompt({
        library,
        base: { message, theme },
        // Prompts are not part of the result, so they don't go to stdout.
        streams: { input: io.stdin, output: library.forwardTo(io.stderr), signal },
      }),
    );
  };
  const hasConsent = ({ consent }: Question): boolean =>
    !available() && consent !== undefined && io.assistant?.hasConsent(consent) === true;
  const text: Prompts['text'] = (question) =>
    ask(
      question,
      ({ library, base, streams }) =>
        library.input({ ...base, ...fallbackOf(question.fallback), validate: question.validate }, streams),
      (plain) => plain.askLine(io, question.message, question),
    );
  return {
    get available() {
      return available();
    },
    text,
    secret: (question) =>
      ask(
        question,
        ({ library, base, streams }) =>
          // The library's key to show the typed text is disabled: others may be watching.
          library.password({ ...base, mask: false, toggleMask: false }, streams),
        (plain) => plain.askHidden(io, question.message, stop),
      ),
    yes: async (question) =>
      hasConsent(question) ||
      ask(
        question,
        ({ library, base, streams }) => askYes(library, base, streams, question.fallback ?? false),
        (plain) => plain.askYes(io, question.message, question.fallback),
      ),
    typedName: async (question) =>
      hasConsent(question) || question.names.includes((await text(question)).trim()),
    choose: (question) =>
      ask(
        question,
        async ({ library, base, streams }) => {
          const ruler = await rulerFor([base.message.replaceAll('\n', ''), ...question.choices.map(labelOf)]);
          let isChosen = false;
          const source = (term: string | undefined) =>
            matchingChoices(question.choices, term ?? '').map((choice) =>
              listedChoice(ruler, choice, base.message, columnsBeside(io)),
            );
          const validate = () => (isChosen = true);
          // Without this, the list of an abandoned question would remain above later output.
          const clearing = Object.defineProperty(streams, 'clearPromptOnDone', { get: () => !isChosen });
          return repeatEnter(io, library.search({ ...base, source, validate }, clearing));
        },
        (plain) => plain.askChoice(io, question.message, question.choices),
      ),
  };
}

/** Asks y/N. The library's own question keeps a wrong answer on its line, and appends the next one. */
async function askYes(
  library: Asker['library'],
  base: Asker['base'],
  streams: Asker['streams'],
  fallback: boolean,
): Promise<boolean> {
  const usual = fallback ? 'Y/n' : 'y/N';
  const meant = (answer: string): boolean | undefined => {
    const word = answer.trim().toLowerCase();
    if (word === '' || answer === usual) return fallback;
    return ['yes', 'no'].some((one) => one.startsWith(word)) ? word.startsWith('y') : undefined;
  };
  const answer = await library.input(
    {
      ...base,
      theme: { ...base.theme, validationFailureMode: 'clear' },
      default: usual,
      prefill: 'tab',
      validate: (typed) => meant(typed) !== undefined || 'Type y or n.',
      transformer: (typed, { isFinal }) => (isFinal ? (meant(typed) ? 'Yes' : 'No') : typed),
    },
    streams,
  );
  return meant(answer) ?? false;
}

/** The mark before a question, and the indentation of the lines below it. */
const mark = '? ';

/** Returns a question wrapped between words; the library would break it anywhere. */
async function wrapQuestion(message: string, { stderr }: Io): Promise<string> {
  return wrapRemark(await rulerFor([message]), message, columnsBeside({ stderr })).join(continuation);
}

const continuation = `\n${' '.repeat(mark.length)}`;

/** Returns the columns beside the mark. The pointer before the highlighted choice has the same width. */
function columnsBeside({ stderr }: Pick<Io, 'stderr'>): number {
  return (stderr.columns || 80) - mark.length;
}

interface Asker {
  readonly library: typeof import('./prompt-setup.ts');
  readonly base: { readonly message: string; readonly theme: object };
  readonly streams: {
    readonly input: Io['stdin'];
    readonly output: Writable;
    readonly signal: AbortSignal;
  };
}

/**
 * The search ignores an Enter while it still looks for the text typed right before, as with pasted text
 * and fast typing. This repeats the Enter when the search is done.
 */
async function repeatEnter<T>(io: Io, answer: Promise<T>): Promise<T> {
  let isOpen = true;
  let isRepeating = false;
  const onKey = (_text: string | undefined, key: { readonly name?: string } | undefined): void => {
    if (isRepeating || (key?.name !== 'return' && key?.name !== 'enter')) return;
    setImmediate(() => {
      if (!isOpen) return;
      isRepeating = true;
      io.stdin.emit('keypress', '\r', {
        name: 'return',
        sequence: '\r',
        ctrl: false,
        meta: false,
        shift: false,
      });
      isRepeating = false;
    });
  };
  io.stdin.on('keypress', onKey);
  try {
    return await answer;
  } finally {
    isOpen = false;
    io.stdin.off('keypress', onKey);
  }
}

function fallbackOf(fallback: string | undefined): { default?: string } {
  return fallback === undefined ? {} : { default: sanitise(fallback) };
}

function unansweredFailure({ message, option, ifUnavailable, consent }: Question, io: Io): Failure {
  const where = isInteractive(io) ? 'without --no-input, BOTCTL_NO_INPUT and CI' : 'in a terminal';
  if (ifUnavailable) {
    const { why = '' } = ifUnavailable;
    const hint = `${why} Add ${option}, or run it ${where} to be asked.`.trimStart();
    return new Failure('notConfirmed', ifUnavailable.message, { hint, details: io.assistant && consent });
  }
  return new Failure('usage', `Missing ${option}.`, {
    hint: `Give ${option}, or run ${where} to be asked: ${message}`,
  });
}

/** The reason to end a question that is asked again later. */
const suspended = Symbol('suspended');

/**
 * Asks as `askInterruptible`. Ctrl-Z restores the terminal and stops the process; when it continues, the question
 * is asked again. The typed text is discarded then, as in other programs: the user can't know how much of a secret it was.
 */
async function askSuspendable<T>(
  io: Io,
  stop: () => void,
  prompt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (;;) {
    const answer = await askInterruptible(io, prompt);
    if (answer !== suspended) return answer;
    await new Promise<void>((goOn) => void suspend(stop, goOn));
  }
}

/**
 * Asks, and throws our own failure if the user leaves: Ctrl-C, a signal from outside, or the end of the input
 * (Ctrl-D, a closed window), for which the library itself would wait forever.
 */
async function askInterruptible<T>(
  io: Io,
  prompt: (signal: AbortSignal) => Promise<T>,
): Promise<T | typeof suspended> {
  const closed = new AbortController();
  const leave = (): void => closed.abort(new Failure('declined', 'No answer was given. Nothing was done.'));
  // The library closes its reader on Ctrl-D, which pauses the input.
  const leaveIfOpen = (): void => void setImmediate(leave);
  const onKey = (_text: string | undefined, key: { name?: string; readonly ctrl?: boolean }): void => {
    if (!canSuspend || key.name !== 'z' || key.ctrl !== true) return;
    // The library's reader comes next. It would stop only this process, with its question still open, and end the
    // input when the process continues.
    key.name = 'suspend';
    closed.abort(suspended);
  };
  io.stdin.on('end', leave).on('pause', leaveIfOpen).prependListener('keypress', onKey);
  try {
    return await prompt(AbortSignal.any([io.signal, closed.signal]));
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    if (thrown.name === 'AbortPromptError') {
      if (io.signal.aborted) throw io.signal.reason;
      if (closed.signal.reason === suspended) return suspended;
      throw closed.signal.reason;
    }
    if (thrown.name === 'ExitPromptError') throw new Failure('interrupted', 'Interrupted. Nothing was done.');
    throw thrown;
  } finally {
    io.stdin.off('end', leave).off('pause', leaveIfOpen).off('keypress', onKey);
  }
}

/**
 * Returns a choice as the library lists it, and as it writes it after the question once it is chosen. The library
 * breaks lines anywhere, so no line is too long.
 */
function listedChoice<T>(
  ruler: Ruler,
  choice: Choice<T>,
  message: string,
  columns: number,
): { name: string; short: string; value: T; description?: string } {
  const { value, description } = choice;
  const name = linesOf(ruler, choice, columns).join(continuation);
  const lastLine = message.slice(message.lastIndexOf('\n') + 1);
  const fits = !name.includes('\n') && ruler.width(`${mark}${lastLine} ${name}`) <= columns;
  return {
    name,
    short: fits ? name : continuation + name,
    value,
    ...(description !== undefined && { description: sanitise(description) }),
  };
}
