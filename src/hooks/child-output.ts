import { stripVTControlCharacters } from 'node:util';
import { oneLine } from '../lib/text/sentence.ts';
import type { HookContext } from './hook.ts';

/** The maximum bytes and lines of a run's output that are shown. */
const maxBytes = 64 * 1024;
const maxLines = 200;

/** The maximum characters of a line that are shown. */
const maxLine = 500;

/**
 * Shows the output of one run line by line, up to its limits. Reads and drops the rest, so that the child can continue.
 */
export class ChildOutput {
  #bytes = 0;
  #lines = 0;
  #isOver = false;

  /** @param prefix precedes each line */
  constructor(
    readonly context: Pick<HookContext, 'reporter' | 'redactStream'>,
    readonly prefix: string,
  ) {}

  /**
   * Returns the functions for one of the streams: `write` takes a chunk, `end` shows the last line, and `last` returns
   * the last line so far.
   */
  stream(): { write(chunk: Uint8Array): void; end(): void; last(): string } {
    // Masked before it is cut at the limit: half of a secret could not be recognized.
    const masked = this.context.redactStream();
    let open = '';
    let last = '';
    const take = (line: string): void => {
      last = this.#show(line) || last;
    };
    const show = (text: string): void => {
      const lines = (open + text).split(/\r\n|[\n\r]/);
      // A line without an end is kept only up to a limit.
      open = lines.pop()?.slice(0, maxLine * 8) ?? '';
      for (const line of lines) take(line);
    };
    return {
      write: (chunk) => {
        const left = maxBytes - this.#bytes;
        if (left <= 0) {
          this.#leaveOut();
          return;
        }
        this.#bytes += Math.min(chunk.length, left);
        show(masked.write(chunk.subarray(0, left)));
        if (chunk.length > left) this.#leaveOut();
      },
      end: () => {
        if (!this.#isOver) show(masked.flush());
        take(open);
        open = '';
      },
      // Output beyond the limit is not parsed, so the last line is then unknown.
      last: () => (this.#bytes < maxBytes ? last : ''),
    };
  }

  /** Shows a line within the limits, and returns the shown text. */
  #show(line: string): string {
    const text = oneLine(stripVTControlCharacters(line), maxLine);
    if (text === '' || this.#isOver) return text;
    this.#lines += 1;
    if (this.#lines > maxLines) this.#leaveOut();
    else this.context.reporter.note(`${this.prefix}${text}`);
    return text;
  }

  #leaveOut(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.context.reporter.note(`${this.prefix}(further output omitted)`);
  }
}
