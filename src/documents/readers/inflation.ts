import { constants, inflateSync } from 'node:zlib';

/**
 * Stands for `DecompressionStream` while pdf.js reads a document: it unpacks with it what a page shows. The bytes that come
 * out are counted. What is packed in other ways, and the structure of the file itself, pdf.js unpacks with code of its own.
 */
export class Inflation {
  /** Is rejected once more would come out than may. That much is never given out, and pdf.js waits for it in vain. */
  readonly exceeded: Promise<never>;
  #exceed: () => void = () => undefined;
  #left: number;

  /**
   * @param maxBytes that may come out, in all
   * @param error that `exceeded` is rejected with
   */
  constructor(maxBytes: number, error: Error) {
    this.#left = maxBytes;
    this.exceeded = new Promise((_, reject) => {
      this.#exceed = () => reject(error);
    });
    this.exceeded.catch(() => undefined);
  }

  /** Takes the place of `DecompressionStream`. Returns a function that gives it back. */
  install(): () => void {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'DecompressionStream');
    const inflate = (bytes: Uint8Array): Uint8Array | undefined => this.#inflate(bytes);
    /** As far as pdf.js uses it: all is written at once, and read once it was written. */
    class Counted {
      #packed = new Uint8Array();
      readonly writable = {
        getWriter: () => ({
          ready: Promise.resolve(),
          write: async (bytes: Uint8Array) => {
            this.#packed = new Uint8Array(bytes);
          },
          close: async () => undefined,
        }),
      };
      readonly readable = this.#read();

      constructor(format: string) {
        if (format !== 'deflate') throw new TypeError(`${format} is left to pdf.js`);
      }

      async *#read(): AsyncGenerator<Uint8Array> {
        yield inflate(this.#packed) ?? (await new Promise<never>(() => undefined));
      }
    }
    Object.defineProperty(globalThis, 'DecompressionStream', {
      value: Counted,
      configurable: true,
      writable: true,
    });
    return () => {
      if (before) Object.defineProperty(globalThis, 'DecompressionStream', before);
    };
  }

  /**
   * Returns the bytes, or undefined where they are too many.
   * @throws Error for what isn't packed so; pdf.js tries by itself then
   */
  #inflate(packed: Uint8Array): Uint8Array | undefined {
    try {
      // What is there of a piece that was cut short is shown by every reader.
      const options = { maxOutputLength: Math.max(this.#left, 1), finishFlush: constants.Z_SYNC_FLUSH };
      const bytes = inflateSync(packed, options);
      this.#left -= bytes.length;
      return bytes;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')) throw error;
      this.#exceed();
      return undefined;
    }
  }
}
