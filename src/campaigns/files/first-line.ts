import { closeSync, readSync } from 'node:fs';
import { openAtOnce } from '../../lib/files/read-file.ts';

/** Bytes that are read at a time. */
const pieceBytes = 64 * 1024;

/**
 * Returns the first line of a file without its end, or the beginning of one that is longer than what is read: then, and where
 * the file ends before the line does, it isn't whole.
 * @param maxBytes after so many bytes no more is read
 * @throws the file system's error
 */
export function firstLine(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): { readonly line: string; readonly isWhole: boolean } {
  const handle = openAtOnce(path);
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      const piece = Buffer.alloc(Math.min(pieceBytes, maxBytes - size));
      const read = readSync(handle, piece, 0, piece.length, null);
      const end = piece.subarray(0, read).indexOf(10);
      pieces.push(piece.subarray(0, end < 0 ? read : end));
      size += read;
      if (end >= 0 || read === 0 || size >= maxBytes)
        return { line: Buffer.concat(pieces).toString('utf8'), isWhole: end >= 0 };
    }
  } finally {
    closeSync(handle);
  }
}
