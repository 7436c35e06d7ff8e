import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { type Cell, cellsOf, textOf } from './cells.ts';

/** A size in character cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** How long a screen may take to show what is waited for, and how often it is looked at, in milliseconds. */
const patience = 20_000;
const pause = 25;

/** Milliseconds without anything new after which a screen is drawn; between two changes are seconds. */
const quiet = 250;

/** A program in a terminal of its own. */
export class PicturedScreen {
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number>;
  readonly #terminal: Terminal;
  readonly #pty: ReturnType<typeof spawn>;
  #drawnAt = 0;

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
      this.#drawnAt = performance.now();
      this.#terminal.write(data);
    });
    this.ended = new Promise((resolve) => this.#pty.onExit(({ exitCode }) => resolve(exitCode)));
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
   * Waits until the screen shows some words, and has been drawn to its end. Gives it as it is then, without the
   * empty rows at its end.
   */
  async showing(words: string | RegExp): Promise<readonly (readonly Cell[])[]> {
    const giveUp = Date.now() + patience;
    for (;;) {
      const rows = await this.#cells();
      const text = textOf(rows);
      const isDrawn = performance.now() - this.#drawnAt > quiet;
      if (text.search(words) >= 0 && isDrawn) return rows.slice(0, text.trimEnd().split('\n').length);
      if (Date.now() > giveUp) throw new Error(`the screen never showed ${words}; it shows:\n${text}`);
      await sleep(pause);
    }
  }

  async #cells(): Promise<readonly (readonly Cell[])[]> {
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
    return cellsOf(this.#terminal);
  }
}
