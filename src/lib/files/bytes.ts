import { closeSync, fstatSync, readSync } from 'node:fs';
import { inputFailure } from '../errors.ts';
import { readFailure } from './file-failure.ts';
import { openNonBlocking } from './read-file.ts';

/** Bytes with random access to ranges: those of a file or of a buffer. */
export interface Bytes {
  readonly length: number;
  /**
   * Returns a range of the bytes.
   * @throws Failure `invalidInput` if they can't be read, or have changed
   */
  subarray(from: number, to: number): Buffer;
}

/** Bytes read at a time. */
const windowBytes = 64 * 1024;

/**
 * Returns the bytes of a regular file, read in pieces: it may be larger than the memory.
 * @throws the file system's error
 */
export function fileBytes(path: string): Bytes {
  const { length, identity } = withOpenFile(path, (handle) => {
    return { length: fstatSync(handle).size, identity: fileIdentity(handle) };
  });
  let window: { readonly from: number; readonly bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) };
  const read = (from: number, to: number): Buffer => {
    const bytes = Buffer.allocUnsafe(to - from);
    const count = withOpenFile(path, (handle) => {
      let read = 0;
      for (let more = 1; more > 0 && read < bytes.length; read += more)
        more = readSync(handle, bytes, read, bytes.length - read, from + read);
      // Ensures that the bytes belong to the file that was opened first.
      return fileIdentity(handle) === identity ? read : 0;
    });
    if (count === bytes.length) return bytes;
    throw inputFailure(
      [`${path} changed while it was read.`],
      'Run it again when the file no longer changes.',
    );
  };
  return {
    length,
    subarray(from, to) {
      const end = Math.min(to, length);
      if (end <= from) return Buffer.alloc(0);
      const at = from - window.from;
      if (at >= 0 && end - window.from <= window.bytes.length)
        return window.bytes.subarray(at, end - window.from);
      try {
        if (end - from > windowBytes) return read(from, end);
        window = { from, bytes: read(from, Math.min(length, from + windowBytes)) };
      } catch (error) {
        throw readFailure(path, error);
      }
      return window.bytes.subarray(0, end - from);
    },
  };
}

/** Returns two sequences of bytes as one. */
export function concatBytes(head: Buffer, rest: Bytes): Bytes {
  const start = head.length;
  return {
    length: start + rest.length,
    subarray(from, to) {
      const [own, others] = [head.subarray(from, to), Math.max(0, to - start)];
      const more = others === 0 ? Buffer.alloc(0) : rest.subarray(Math.max(0, from - start), others);
      return own.length === 0 ? more : Buffer.concat([own, more]);
    },
  };
}

/** Returns bytes without the first ones. */
export function skipBytes(bytes: Bytes, start: number): Bytes {
  return {
    length: Math.max(0, bytes.length - start),
    subarray: (from, to) => bytes.subarray(from + start, to + start),
  };
}

/** Yields bytes in pieces of the size that is read at a time. */
export function* chunksOf(bytes: Bytes): Generator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += windowBytes) yield bytes.subarray(at, at + windowBytes);
}

/** Yields the lines of UTF-8 text, without line ends. */
export function* linesOf(bytes: Bytes): Generator<string, void> {
  let rest: Buffer[] = [];
  for (const piece of chunksOf(bytes)) {
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      yield Buffer.concat([...rest, piece.subarray(from, end)]).toString('utf8');
      rest = [];
      from = end + 1;
    }
    if (from < piece.length) rest.push(Buffer.from(piece.subarray(from)));
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString('utf8');
}

function withOpenFile<T>(path: string, work: (handle: number) => T): T {
  const handle = openNonBlocking(path);
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}

/** Returns a fingerprint that distinguishes a file from other files and from its later versions. */
function fileIdentity(handle: number): string {
  const { ino, size, mtimeMs, ctimeMs } = fstatSync(handle);
  return [ino, size, mtimeMs, ctimeMs].join('/');
}
