import { Terminal } from '@xterm/headless';
import { PtyTerminal } from '../pty/pty-terminal.ts';

const rows = 45;

/** The marks of OSC 133, printed before a command runs, and after it with its exit code. */
const begins = '\x1b]133;C\x07';
const ends = /\x1b\]133;D;(\d+)\x07/;

/** The answers to questions, by the text of the question. */
export type Answers = Readonly<Record<string, string>>;

/** The exit code and the terminal output of a command. */
export interface Ran {
  readonly exitCode: number;
  readonly shown: string;
}

/** A user's interactive bash in a terminal. */
export class Shell {
  readonly #terminal: PtyTerminal;
  readonly #columns: number;
  /** The length of the earlier commands' output. */
  #from = 0;

  private constructor(columns: number, env: Readonly<Record<string, string>>) {
    this.#columns = columns;
    const marks = { PS0: begins, PROMPT_COMMAND: String.raw`printf '\e]133;D;%s\a' $?` };
    this.#terminal = new PtyTerminal(
      ['--norc', '--noprofile', '-i'],
      { columns, rows },
      { ...env, ...marks },
      undefined,
      ['bash'],
    );
  }

  /** Opens a shell in a directory. It is killed with the test. */
  static async open(
    directory: string,
    columns: number,
    env: Readonly<Record<string, string>>,
  ): Promise<Shell> {
    const shell = new Shell(columns, env);
    await shell.#until(() => ends.test(shell.#new));
    shell.#from = shell.#terminal.sent.length;
    await shell.run(`cd '${directory}'`);
    return shell;
  }

  /** Types a command, answers its questions, and waits for its end. */
  async run(command: string, answers: Answers = {}): Promise<Ran> {
    this.begin(command);
    const open = new Map(Object.entries(answers));
    await this.#until(() => {
      for (const [question, answer] of open) {
        if (!this.#output.includes(question)) continue;
        open.delete(question);
        this.press(`${answer}\r`);
      }
      return ends.test(this.#new);
    });
    const shown = await this.shown();
    const exitCode = Number(ends.exec(this.#new)?.[1]);
    this.#from = this.#terminal.sent.length;
    return { exitCode, shown };
  }

  /** Types a command, and returns at once. */
  begin(command: string): void {
    this.#terminal.type(`${command.replaceAll('\n', '\r')}\r`);
  }

  close(): void {
    this.#terminal.kill('SIGHUP');
  }

  press(keys: string): void {
    this.#terminal.type(keys);
  }

  /** Waits until the screen satisfies a condition. */
  until(shows: (text: string) => boolean): Promise<void> {
    return this.#terminal.until(shows);
  }

  /** Waits until the started command has ended. */
  async ended(): Promise<void> {
    await this.#until(() => ends.test(this.#new));
  }

  /** Returns the output of the last command on the terminal, without closed alternate screens. */
  async shown(): Promise<string> {
    const terminal = new Terminal({ cols: this.#columns, rows, allowProposedApi: true, scrollback: 5000 });
    await new Promise<void>((resolve) => terminal.write(this.#output, resolve));
    const buffer = terminal.buffer.normal;
    const lines = Array.from({ length: buffer.length }, (_, row) => {
      const line = buffer.getLine(row);
      // A wrapped row belongs to the same line when it is copied.
      const before = row === 0 || line?.isWrapped ? '' : '\n';
      return before + (line?.translateToString(!buffer.getLine(row + 1)?.isWrapped) ?? '');
    });
    terminal.dispose();
    return lines.join('').trimEnd();
  }

  get #new(): string {
    return this.#terminal.sent.slice(this.#from);
  }

  /** The output of the command so far; the text before it is the echo of the typed command. */
  get #output(): string {
    const [, printed = ''] = this.#new.split(begins);
    return printed.split(ends)[0] ?? '';
  }

  async #until(isSo: () => boolean): Promise<void> {
    await this.#terminal.until(isSo);
  }
}
