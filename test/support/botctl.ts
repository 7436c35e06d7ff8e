import { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../src/lib/clock.ts';
import type { Io } from '../../src/lib/io.ts';
import { run } from '../../src/program.ts';
import { putToken, takeToken } from './kept-tokens.ts';
import { Keyboard } from './keyboard.ts';
import { leaveContexts } from './left-contexts.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export { temporaryDirectory };

/** The terminal in which a command runs. */
export interface TerminalLook {
  readonly columns: number;
  readonly rows: number;
  /** Whether its cursor can be moved, as a spinner needs; false by default. */
  readonly cursor?: boolean;
}

/** Options of a run. */
export interface RunOptions {
  /** The text or stream that is piped into stdin; empty by default. */
  readonly stdin?: string | Uint8Array | AsyncIterable<string>;
  /** Whether the streams are a terminal; they are pipes by default. */
  readonly terminal?: boolean | TerminalLook;
  /** Whether stdout is a pipe although the other streams are a terminal, as in `$(botctl …)`. */
  readonly piped?: boolean;
  /**
   * The line to type when a question with this text shows; needs `terminal`. Each is typed once; from a list, one line
   * each time.
   */
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  /** Variables added to an environment that has only a new `BOTCTL_CONFIG_DIR`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Aborted by a second signal. */
  readonly urgent?: AbortSignal;
  /** The code of the error that each write to stdout fails with. */
  readonly unwritable?: 'ENOSPC' | 'EPIPE';
  /** Called with each text written to stdout. */
  readonly onOutput?: (text: string) => void;
  /** Called with each text written to stderr. */
  readonly onError?: (text: string) => void;
  /** The command's clock; the machine's by default. */
  readonly clock?: Clock;
}

/** The result of a run. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

class Captured extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  readonly #onText: (text: string) => void;

  constructor(
    terminal: TerminalLook | undefined,
    onText: (text: string) => void = () => undefined,
    private readonly fails?: string,
  ) {
    super({ decodeStrings: false });
    this.isTTY = terminal !== undefined;
    this.columns = terminal?.columns;
    this.rows = terminal?.rows;
    this.#onText = onText;
    if (terminal?.cursor !== true) return;
    Object.assign(this, {
      clearLine: () => this.write('\x1b[2K'),
      cursorTo: (column: number) => this.write(`\x1b[${column + 1}G`),
      moveCursor: (_across: number, down: number) => this.write(down < 0 ? `\x1b[${-down}A` : ''),
    });
  }

  /** Does nothing, as for the streams of a process: a prompt piped into them can't end them. */
  override end(): this {
    return this;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: (error?: Error) => void): void {
    if (this.fails !== undefined && chunk.length > 0) {
      // Node revives the streams of a process after an error, so the error event is the only sign of a failed write.
      const error = Object.assign(new Error('it is gone'), { code: this.fails });
      process.nextTick(() => this.emit('error', error));
      done();
      return;
    }
    const text = chunk.toString();
    this.text += text;
    if (text !== '') this.#onText(text);
    done();
  }
}

/**
 * Runs a command through the real program in this process, with the arguments that a person would type:
 * `botctl(['teams', 'list'], { env })`.
 */
export async function botctl(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const size = typeof options.terminal === 'object' ? options.terminal : { columns: 100, rows: 40 };
  const terminal = options.terminal ? size : undefined;
  const answers = new Map(
    Object.entries(options.answers ?? {}).map(([words, lines]) => [words, [lines].flat()]),
  );
  const typed = terminal ? new Keyboard() : stdinOf(options);
  const answer = (text: string): void => {
    // A long question is wrapped.
    const words = stripVTControlCharacters(text).replaceAll(/\s+/g, ' ');
    for (const [question, lines] of answers) {
      if (!words.includes(question) || !(typed instanceof Keyboard)) continue;
      const line = lines.shift();
      if (line !== undefined) typed.answer(line);
    }
  };
  const stdout = new Captured(options.piped ? undefined : terminal, options.onOutput, options.unwritable);
  const stderr = new Captured(terminal, (text) => {
    options.onError?.(text);
    answer(text);
  });
  if (terminal) leaveContexts();
  const home = options.env?.BOTCTL_CONFIG_DIR === undefined ? temporaryDirectory() : undefined;
  if (home !== undefined && options.env) putToken(home, options.env);
  const io: Io = {
    stdin: typed,
    stdout,
    stderr,
    env: {
      ...(home !== undefined && { BOTCTL_CONFIG_DIR: home }),
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      ...options.env,
    },
    signal: options.signal ?? new AbortController().signal,
    ...(options.urgent && { urgent: options.urgent }),
  };
  const exitCode = await run(args, io, undefined, options.clock);
  if (home !== undefined && options.env) takeToken(home, options.env);
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

function stdinOf({ stdin = '' }: RunOptions): Readable {
  return Readable.from(typeof stdin === 'string' || stdin instanceof Uint8Array ? [stdin] : stdin);
}
