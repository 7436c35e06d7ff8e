import { EventEmitter, on } from 'node:events';
import { spawn } from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { type Cell, cellsOf, textOf } from './cells.ts';

/** A size in character cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Milliseconds that a screen may take to show what is waited for. */
const timeoutMs = 45_000;

/** The begin and the end of a picture on the alternate screen: DEC mode 2026, synchronised updates. */
const updateBegin = '\x1b[?2026h';
const updateEnd = '\x1b[?2026l';

/** A program in a terminal of its own. */
export class PicturedScreen {
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number>;
  readonly #terminal: Terminal;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #changes = new EventEmitter();
  /** The part of what was sent that the terminal has drawn. */
  #drawn = '';
  #hasEnded = false;

  /** @param typed shown above what the program prints, as the line that started it */
  constructor(
    [file, ...args]: readonly [string, ...string[]],
    { columns, rows }: Size,
    { env, typed }: { readonly env: Readonly<Record<string, string>>; readonly typed: string },
  ) {
    this.#terminal = new Terminal({ cols: columns, rows, allowProposedApi: true });
    this.#terminal.write(`\x1b[2m$\x1b[0m ${typed}\r\n`);
    this.#pty = spawn(file, args, { cols: columns, rows, name: 'xterm-256color', env });
    this.#pty.onData((data) => {
      this.#terminal.write(data, () => {
        this.#drawn += data;
        this.#changes.emit('change');
      });
    });
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#hasEnded = true;
        this.#changes.emit('change');
        resolve(exitCode);
      });
    });
  }

  /** Ends the program, if it still runs. */
  async close(): Promise<void> {
    try {
      this.#pty.kill('SIGTERM');
    } catch {
      // It has ended by itself.
    }
    await this.ended;
    this.#terminal.dispose();
  }

  /**
   * Waits until the screen shows some words, and has been drawn to its end. Returns it as it is then, without the
   * empty rows at its end.
   * @throws Error with what it shows instead, once it took too long
   */
  async showing(words: string | RegExp): Promise<readonly (readonly Cell[])[]> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const changes = on(this.#changes, 'change', { signal: timeout });
    let text = '';
    try {
      for (;;) {
        const hasEnded = this.#hasEnded;
        const rows = await this.#cells();
        text = textOf(rows);
        if (text.search(words) >= 0 && (hasEnded || this.#isWhole))
          return rows.slice(0, text.trimEnd().split('\n').length);
        await changes.next();
      }
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new Error(`the screen never showed ${words}; it shows:\n${text}`);
    } finally {
      await changes.return?.();
    }
  }

  /** True if a picture on the alternate screen shows from its beginning to its end. */
  get #isWhole(): boolean {
    if (this.#terminal.buffer.active.type === 'normal') return false;
    return this.#drawn.lastIndexOf(updateEnd) > this.#drawn.lastIndexOf(updateBegin);
  }

  async #cells(): Promise<readonly (readonly Cell[])[]> {
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
    return cellsOf(this.#terminal);
  }
}
