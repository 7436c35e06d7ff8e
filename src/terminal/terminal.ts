import { type Io, isInteractive, type Output } from '../lib/io.ts';
import type { Progress, ProgressText, Reporter } from '../lib/reporter.ts';
import { commandTextsIn, type RemarkText, remarkText, type ServiceOptions } from '../lib/text/remark.ts';
import { isPlain } from './accessible.ts';
import { type ColorLevel, colorLevel, paintIfLoaded, type Tone, takesUnicode } from './colour.ts';
import { openScreen, type Screen } from './full-screen.ts';
import { sanitise, sanitiseLines } from './sanitise.ts';
import type { Spinner } from './spinner.ts';
import { rulerIfLoaded, wrapRemark } from './width.ts';

/** Output for the user besides the result. Everything goes to stderr. */
export interface Terminal extends Reporter {
  /** True if there is a user: stdin and stderr are terminals. */
  readonly interactive: boolean;
  /** Colour level of stderr: 0 none, 1 sixteen colours, 2 256 colours, 3 true colour. */
  readonly colorLevel: ColorLevel;
  /** True if the locale is UTF-8. */
  readonly unicode: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Opens the alternate screen. Only if `interactive`. Remarks are passed to it, and written once it closes. */
  openScreen(): Screen;
}

/** The maximum number of remarks that are kept while a screen covers the terminal. */
const maxQueuedRemarks = 20;

/** Without a terminal, work that takes longer than this is reported in one line. */
const longWorkMs = 5000;

/**
 * Creates the terminal of a command. Uses no stream before it is needed.
 * @param redact masks secrets in a remark before it is wrapped
 */
export function createTerminal(
  io: Io,
  options: { readonly color: boolean } & ServiceOptions,
  redact: (text: string) => string = (text) => text,
): Terminal {
  const { env } = io;
  const level = (): ColorLevel => colorLevel(io.stderr, env, options.color);
  const unicode = takesUnicode(env);
  const shown = (text: string): string => redact(sanitiseLines(text));
  const say = (told: RemarkText, mark = '', tone?: Tone, lastsMs?: number): void => {
    const start = mark && `${paintIfLoaded(level()).tone(tone, mark)} `;
    const indent = mark && ' '.repeat(mark.length + 1);
    const commands = commandTextsIn(told, options).map(shown);
    const lines = wrapped(shown(remarkText(told, options)), indent.length, commands);
    const remark = `${start}${lines.join(`\n${indent}`)}\n`;
    if (screen) {
      queued.push(remark);
      // After hours there may be thousands, and only the last ones are useful.
      if (queued.length > maxQueuedRemarks) queued.shift();
      screen.remark(shown(remarkText(told, options)), lastsMs);
    } else io.stderr.write(remark);
  };
  const wrapped = (text: string, indented: number, commands: readonly string[]): readonly string[] => {
    const ruler = io.stderr.isTTY ? rulerIfLoaded(text) : undefined;
    // If wide characters can't be measured yet, the terminal wraps.
    return ruler ? wrapRemark(ruler, text, (io.stderr.columns || 80) - indented, commands) : text.split('\n');
  };
  // A remark would garble a screen, and disappear with it.
  const queued: string[] = [];
  let screen: Screen | undefined;
  const work = new ProgressStack(io, () => ({ color: level() > 0, unicode }));
  return {
    get interactive() {
      return isInteractive(io);
    },
    get colorLevel() {
      return level();
    },
    unicode,
    get columns() {
      return io.stderr.columns || 80;
    },
    get rows() {
      return io.stderr.rows || 24;
    },
    note: (text, lastsMs) => say(text, '', undefined, lastsMs),
    warn: (text) => say(text, '!', 'warning'),
    done: (text) => say(text, unicode ? '✓' : 'ok:', 'good'),
    progress: (text) => work.begin(text),
    openScreen() {
      screen = openScreen(io, () => {
        screen = undefined;
        for (const remark of queued.splice(0)) io.stderr.write(remark);
      });
      return screen;
    },
  };
}

/** The progress of running work: the last started work is shown. */
class ProgressStack {
  readonly #texts = new Map<symbol, string>();
  readonly #stopAll = (): void => {
    this.#texts.clear();
    this.#show();
  };
  #spinner: Spinner | undefined;
  #loading = false;

  constructor(
    readonly io: Io,
    readonly look: () => { readonly color: boolean; readonly unicode: boolean },
  ) {}

  begin(text: ProgressText): Progress {
    const { stderr, env } = this.io;
    if (!canSpin(stderr) || isPlain(env)) return this.#beginSilently(text);
    const key = Symbol('progress');
    const set = (next: ProgressText): void => {
      this.#texts.set(key, linesOf(next).join(`\n${besideSpinner}`));
      this.#show();
    };
    set(text);
    return {
      update: (next) => {
        if (this.#texts.has(key)) set(next);
      },
      stop: () => {
        this.#texts.delete(key);
        this.#show();
      },
    };
  }

  #beginSilently(text: ProgressText): Progress {
    let latest = text;
    const timer = setTimeout(() => this.io.stderr.write(`${linesOf(latest).join('\n')}\n`), longWorkMs);
    timer.unref();
    return {
      update: (next) => {
        latest = next;
      },
      stop: () => clearTimeout(timer),
    };
  }

  #show(): void {
    const text = [...this.#texts.values()].at(-1);
    if (text === undefined) {
      this.io.signal.removeEventListener('abort', this.#stopAll);
      this.#spinner?.hide();
    } else if (this.#spinner) {
      this.io.signal.addEventListener('abort', this.#stopAll, { once: true });
      this.#spinner.show(text);
    } else if (!this.#loading) {
      this.#loading = true;
      void this.#load();
    }
  }

  async #load(): Promise<void> {
    const { createSpinner } = await import('./spinner.ts');
    this.#spinner = createSpinner(this.io.stderr, this.look());
    if (this.#texts.size > 0) this.#show();
  }
}

/** Further lines are aligned with the first one, after the spinner. */
const besideSpinner = '  ';

function linesOf(text: ProgressText): readonly string[] {
  return (typeof text === 'string' ? [text] : text).map(sanitise);
}

/**
 * Returns whether a terminal can show a spinner: it must be able to clear a line, and know its width. If the width is unset, as in
 * some pseudo-terminals, the line would count as infinitely many.
 */
function canSpin(stream: Output): boolean {
  return stream.isTTY === true && 'clearLine' in stream && stream.columns !== 0;
}
