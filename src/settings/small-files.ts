import { createHash } from 'node:crypto';
import { errorCode } from '../lib/errors.ts';
import { decodeText, fileSource } from '../lib/files/decode-text.ts';
import { readOwnFile, readOwnText } from '../lib/files/read-file.ts';

/** Returns a hash for use in a file name, for text that can't be part of one. */
export function fileHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Reads a text file written by botctl. Returns undefined if the file or its directory is missing. */
export function readIfExists(file: string): string | undefined {
  return undefinedIfMissing(() => readOwnText(file));
}

/**
 * Reads a text file of botctl that users keep in version control, as `readIfExists`.
 * @throws Failure as `decodeText`
 */
export function readSharedIfExists(file: string): string | undefined {
  return undefinedIfMissing(() => decodeText(readOwnFile(file), fileSource(file)));
}

function undefinedIfMissing(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Calls a function whose failure doesn't matter, such as writing a cache. Returns undefined if it fails. */
export function ignoreErrors<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
