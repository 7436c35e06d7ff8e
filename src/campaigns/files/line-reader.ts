import { readSync } from 'node:fs';

/** Bytes that are read at a time: some hundred lines. */
const windowBytes = 32 * 1024;

/** Reads lines of an open file by where they begin; those that follow each other from the same piece of it. */
export class LineReader {
  readonly #handle: number;
  #window = Buffer.alloc(0);
  /** Where the window begins in the file. */
  #from = 0;

  constructor(handle: number) {
    this.#handle = handle;
  }

  /** Returns a line without its end, or undefined if none ends behind that byte. */
  line(place: number): string | undefined {
    const at = place - this.#from;
    const known = at >= 0 && at < this.#window.length ? this.#window.indexOf(10, at) : -1;
    if (known >= 0) return this.#window.toString('utf8', at, known);
    for (let size = windowBytes; ; size *= 4) {
      const piece = Buffer.allocUnsafe(size);
      const read = readSync(this.#handle, piece, 0, size, place);
      this.#window = piece.subarray(0, read);
      this.#from = place;
      const end = this.#window.indexOf(10);
      if (end >= 0) return this.#window.toString('utf8', 0, end);
      if (read < size) return undefined;
    }
  }
}
