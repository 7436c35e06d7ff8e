import { PassThrough } from 'node:stream';

/**
 * The input of a terminal, and a person at it who types a line only while somebody reads: what is typed between
 * two questions is dropped by the library that asks them.
 */
export class Keyboard extends PassThrough {
  readonly isTTY = true;
  readonly #due: string[] = [];

  setRawMode(): this {
    return this;
  }

  /** Types a line and Enter, once the question that shows now, or the next one, listens. */
  answer(line: string): void {
    this.#due.push(line);
    this.#typeSoon();
  }

  override resume(): this {
    super.resume();
    this.#typeSoon();
    return this;
  }

  /**
   * A question that begins to read is drawn, and hears its keys, within the next round of the event loop. A list to
   * search has found what was typed before the round ends in which that was read.
   */
  #typeSoon(): void {
    if (this.#due.length === 0) return;
    setImmediate(() =>
      setImmediate(() => {
        if (!this.readableFlowing) return;
        const line = this.#due.shift();
        if (line === undefined) return;
        this.write(line);
        setImmediate(() => {
          // A key may have ended the question by itself.
          if (this.readableFlowing) this.write('\r');
        });
      }),
    );
  }
}
