import { readFile } from 'node:fs/promises';
import type { RefusalReason } from '../not-counted.ts';

/** A piece of a document's text, in reading order. */
export interface TextPiece {
  readonly text: string;
  /** From 1; only where the format has pages. A page without text is given too, as a piece with none. */
  readonly page?: number;
}

/** What a reader is given. */
export interface ReadOptions {
  readonly path: string;
  readonly password?: string | undefined;
  /** Bytes that a Word document may unpack to in all. A larger one is refused as a bomb. */
  readonly maxUnpacked: number;
}

/**
 * Reads the text of a document in its format. It runs in a process that may be ended at any moment, and that reads
 * other files afterwards where it isn't.
 * @throws Unreadable with the reason; any other error counts as a corrupt file, except errors of the file system
 */
export type Reader = (options: ReadOptions) => AsyncIterable<TextPiece>;

/** The reason why a reader gives up on a file. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  /** @param says what is said of the file after its name, where the reason alone says less */
  constructor(
    readonly reason: RefusalReason,
    readonly says?: string,
  ) {
    super(reason);
  }
}

/**
 * Returns the bytes of a document.
 * @throws Unreadable `too-large` for more than Node reads at once, and errors of the file system
 */
export async function readWhole(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_FS_FILE_TOO_LARGE';
    throw isTooLarge ? new Unreadable('too-large') : error;
  });
}
