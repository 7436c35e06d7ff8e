import { EventEmitter, on } from 'node:events';
import { spawn } from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { type Cell, fixedColours } from '../qr/rasterise.ts';
import { binary } from '../support/process.ts';

/** A size in character cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The timeout for expected output, in milliseconds. */
const patienceMs = 45_000;

/** The terminal's responses to queries; without a background it does not respond to that query. */
export interface Answering {
  /** The response to OSC 11, in X11's notation: `rgb:ffff/ffff/ffff`. */
  readonly background?: string;
}

/** The built botctl, or another program, in a terminal of its own. It is killed with the test. */
export class PtyTerminal {
  /** The output so far. */
  sent = '';
  /** Resolves to its exit code. */
  readonly ended: Promise<number>;
  readonly #terminal: Terminal;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #drawn = new EventEmitter().setMaxListeners(0);
  #hasEnded = false;

  /**
   * @param answering undefined for a terminal that responds to no query
   * @param program the program that runs with the arguments
   */
  constructor(
    args: readonly string[],
    { columns, rows }: Size,
    env: Readonly<Record<string, string>>,
    answering?: Answering,
    [program, ...first]: readonly [string, ...string[]] = [process.execPath, binary],
  ) {
    // Comes first: between tests it throws, so that no process is left running.
    onTestFinished(() => this.#end());
    this.#terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5000 });
    this.#pty = spawn(program, [...first, ...args], {
      cols: columns,
      rows,
      name: 'xterm-256color',
      env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', TERM: 'xterm-256color', ...env },
    });
    this.#pty.onData((data) => {
      this.sent += data;
      this.#terminal.write(data, () => this.#drawn.emit('drawn'));
    });
    if (answering) this.#answer(answering);
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#hasEnded = true;
        resolve(signal ? 128 + signal : exitCode);
      });
    });
  }

  async #end(): Promise<void> {
    if (!this.#hasEnded) this.#pty.kill('SIGKILL');
    await this.ended;
    this.#terminal.dispose();
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  kill(signal: NodeJS.Signals): void {
    this.#pty.kill(signal);
  }

  resize({ columns, rows }: Size): void {
    this.#terminal.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** The emulator itself responds to device attribute queries, in order. */
  #answer({ background }: Answering): void {
    const { parser } = this.#terminal;
    parser.registerOscHandler(11, () => {
      if (background !== undefined) this.#pty.write(`\x1b]11;${background}\x1b\\`);
      return true;
    });
    this.#terminal.onData((answer) => this.#pty.write(answer));
  }

  /**
   * Waits until the terminal shows something, which is checked after each drawing. Partial drawings are skipped,
   * because on a busy machine a drawing ends later than it begins.
   * @throws Error with the text on the screen, after the timeout
   */
  async until(shows: (text: string) => boolean): Promise<void> {
    const impatient = AbortSignal.timeout(patienceMs);
    const drawn = on(this.#drawn, 'drawn', { signal: impatient });
    try {
      while (!shows(await this.text()) || this.#isInPicture()) await drawn.next();
    } catch (error) {
      if (!impatient.aborted) throw error;
      throw new Error(`it never showed that; it shows:\n${await this.text()}`);
    } finally {
      await drawn.return?.();
    }
  }

  /** Returns true between the beginning and the end of a synchronised update (DEC mode 2026). */
  #isInPicture(): boolean {
    return this.sent.lastIndexOf('\x1b[?2026h') > this.sent.lastIndexOf('\x1b[?2026l');
  }

  /** Returns the text on the screen and in the scrollback. */
  async text(): Promise<string> {
    await this.#settled();
    const buffer = this.#terminal.buffer.active;
    const lines = Array.from(
      { length: buffer.length },
      (_, row) => buffer.getLine(row)?.translateToString(true) ?? '',
    );
    return lines.join('\n').trimEnd();
  }

  /** Returns the cells of the screen with their colours. */
  async cells(): Promise<readonly (readonly Cell[])[]> {
    await this.#settled();
    const buffer = this.#terminal.buffer.active;
    return Array.from({ length: this.#terminal.rows }, (_, row) => {
      const line = buffer.getLine(buffer.viewportY + row);
      return Array.from({ length: this.#terminal.cols }, (_cell, column): Cell => {
        const cell = line?.getCell(column);
        return {
          glyph: cell?.getChars() || ' ',
          foreground: cell?.isFgPalette() ? fixedColours[cell.getFgColor()] : undefined,
          background: cell?.isBgPalette() ? fixedColours[cell.getBgColor()] : undefined,
        };
      });
    });
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  async #settled(): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
  }
}
