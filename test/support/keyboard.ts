import { PassThrough } from 'node:stream';

/**
 * A terminal's input with a person who types a line only while a question reads: the prompt library drops text that is
 * typed between two questions.
 */
export class Keyboard extends PassThrough {
  readonly isTTY = true;
  readonly #due: string[] = [];

  setRawMode(): this {
    return this;
  }

  /** Types a line and Enter as soon as the current or the next question reads. */
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
   * A question draws itself and listens to keys within one round of the event loop after it starts to read. A
   * searchable list has filtered by the typed text before the round that reads it ends.
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
          // A key may have ended the question already.
          if (this.readableFlowing) this.write('\r');
        });
      }),
    );
  }
}
