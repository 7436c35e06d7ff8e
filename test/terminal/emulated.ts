import { PassThrough, Writable } from 'node:stream';
import { Terminal } from '@xterm/headless';
import type { Input, Output } from '../../src/lib/io.ts';

/** An emulated terminal that shows a screen as a user would see it. */
export class Emulated {
  readonly terminal: Terminal;
  readonly stderr: Output;
  readonly raw: boolean[] = [];
  readonly stdin: Input & PassThrough;
  sent = '';

  /**
   * @param answer returns the terminal's response to the output, as if it were typed
   */
  constructor(columns: number, rows: number, answer: (sent: string) => string = () => '') {
    this.terminal = new Terminal({
      cols: columns,
      rows,
      allowProposedApi: true,
      convertEol: true,
      scrollback: 1000,
    });
    const emulated = this;
    this.stderr = Object.defineProperties(
      new Writable({
        decodeStrings: false,
        write(chunk: string, _encoding, done) {
          emulated.sent += chunk;
          const answered = answer(chunk);
          if (answered !== '') emulated.stdin.write(answered);
          emulated.terminal.write(chunk, done);
        },
      }),
      {
        isTTY: { value: true },
        columns: { get: () => this.terminal.cols },
        rows: { get: () => this.terminal.rows },
      },
    );
    this.stdin = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (raw: boolean) => this.raw.push(raw),
    });
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
    this.stderr.emit('resize');
  }

  /** Returns all lines including scrollback, once all output has been processed. */
  async lines(): Promise<readonly string[]> {
    await this.settled();
    const buffer = this.terminal.buffer.active;
    return Array.from(
      { length: buffer.length },
      (_, row) => buffer.getLine(row)?.translateToString(true, 0, this.terminal.cols).trimEnd() ?? '',
    );
  }

  async settled(): Promise<void> {
    await new Promise<void>((resolve) => this.stderr.write('', () => resolve()));
  }
}
