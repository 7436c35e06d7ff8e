import { Terminal } from '@xterm/headless';
import { PtyTerminal } from '../pty/pty-terminal.ts';

const rows = 45;

/** Printed before a command runs, and with its exit code behind it: the marks of OSC 133. */
const begins = '\x1b]133;C\x07';
const ends = /\x1b\]133;D;(\d+)\x07/;

/** The answers to questions, by the words of the question. */
export type Answers = Readonly<Record<string, string>>;

/** How a command ended, and what the terminal shows of it. */
export interface Ran {
  readonly exitCode: number;
  readonly shown: string;
}

/** A person at an interactive bash in a terminal. */
export class Shell {
  readonly #terminal: PtyTerminal;
  readonly #columns: number;
  /** How much of what was sent belongs to earlier commands. */
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

  /** Opens one, in a directory. It is killed with the test. */
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

  /** Types a command, and goes on at once. */
  begin(command: string): void {
    this.#terminal.type(`${command.replaceAll('\n', '\r')}\r`);
  }

  close(): void {
    this.#terminal.kill('SIGHUP');
  }

  /** Presses keys. */
  press(keys: string): void {
    this.#terminal.type(keys);
  }

  /** Waits until the screen shows something. */
  until(shows: (text: string) => boolean): Promise<void> {
    return this.#terminal.until(shows);
  }

  /** Waits until what was begun has ended. */
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
      // What goes on in the next row is one line to whoever copies it.
      const before = row === 0 || line?.isWrapped ? '' : '\n';
      return before + (line?.translateToString(!buffer.getLine(row + 1)?.isWrapped) ?? '');
    });
    terminal.dispose();
    return lines.join('').trimEnd();
  }

  get #new(): string {
    return this.#terminal.sent.slice(this.#from);
  }

  /** What the command printed so far: what stands before it is the echo of what was typed. */
  get #output(): string {
    const [, printed = ''] = this.#new.split(begins);
    return printed.split(ends)[0] ?? '';
  }

  async #until(isSo: () => boolean): Promise<void> {
    await this.#terminal.until(isSo);
  }
}
