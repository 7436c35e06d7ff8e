import { readFile } from 'node:fs/promises';
import type { RefusalReason } from '../not-counted.ts';

/** A piece of a document's text, in reading order. */
export interface TextPiece {
  readonly text: string;
  /** From 1; only if the format has pages. A page without text gives an empty piece. */
  readonly page?: number;
}

/** The input of a reader. */
export interface ReadOptions {
  readonly path: string;
  readonly password?: string | undefined;
  /** The maximum number of unpacked bytes of a Word document. A larger one is refused as a zip bomb. */
  readonly maxUnpacked: number;
}

/**
 * Reads the text of a document in its format. It runs in a process that may be killed at any moment; otherwise the process reads
 * other files afterwards.
 * @throws Unreadable with the reason; any other error counts as a corrupt file, except errors of the file system
 */
export type Reader = (options: ReadOptions) => AsyncIterable<TextPiece>;

/** The reason why a reader rejects a file. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  /** @param says the message for the file after its name, if it is more specific than the reason */
  constructor(
    readonly reason: RefusalReason,
    readonly says?: string,
  ) {
    super(reason);
  }
}

/**
 * Returns the bytes of a document.
 * @throws Unreadable `too-large` if Node can't read that many bytes at once, and errors of the file system
 */
export async function readWhole(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_FS_FILE_TOO_LARGE';
    throw isTooLarge ? new Unreadable('too-large') : error;
  });
}
