import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { systemClock } from '../clock.ts';
import { errorCode } from '../errors.ts';
import { stripByteOrderMark } from '../text/characters.ts';

/** Maximum bytes of a file written by botctl. */
const maxOwnBytes = 256 * 1024 * 1024;

/** Bytes read at a time. */
const chunkSize = 64 * 1024;

/** Pause between two reads of an empty pipe, in milliseconds. */
const pollingPauseMs = 20;

/** Milliseconds to wait for a writer to open a pipe. */
const maxWriterWaitMs = 3_000;

/** The error for a path that can't be read as intended. Its message completes "can't be read: …". */
export class UnreadableFile extends Error {
  constructor(
    readonly code: 'ENOTREGULAR' | 'EISDIR' | 'EFBIG' | 'ENOWRITER',
    message: string,
  ) {
    super(message);
  }
}

/** Describes the type of a path: `a directory`, `a pipe`. */
export function fileKind(
  found: Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket' | 'isSymbolicLink'>,
): string {
  if (found.isDirectory()) return 'a directory';
  if (found.isSymbolicLink()) return 'a link';
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}

/** Options for opening a file. */
interface OpenOptions {
  /** False for a path that must not be a link. */
  readonly followsLink?: boolean;
}

/**
 * Opens a file for reading without blocking: a pipe without a writer would otherwise block the process.
 * @throws the file system's error, `ELOOP` for a link that is not allowed
 */
export function openNonBlocking(path: string, { followsLink = true }: OpenOptions = {}): number {
  // Windows has neither these flags nor pipes as files.
  const flags = (constants.O_NONBLOCK ?? 0) | (followsLink ? 0 : (constants.O_NOFOLLOW ?? 0));
  return openSync(path, constants.O_RDONLY | flags);
}

/**
 * Returns the content of a file written by botctl.
 * @throws the file system's error, or one with a similar code if it is no regular file, or too large
 */
export function readOwnFile(path: string): Buffer {
  const handle = openNonBlocking(path);
  try {
    const found = fstatSync(handle);
    if (found.isDirectory()) throw new UnreadableFile('EISDIR', 'it is a directory');
    if (!found.isFile())
      throw new UnreadableFile('ENOTREGULAR', `it is ${fileKind(found)}, not a regular file`);
    const content = readAvailable(handle, maxOwnBytes + 1);
    if (content.bytes.length > maxOwnBytes)
      throw new UnreadableFile('EFBIG', `it is larger than ${maxOwnBytes / 1024 ** 2} MiB`);
    return content.bytes;
  } finally {
    closeSync(handle);
  }
}

/** Returns the text of a file written by botctl, as `readOwnFile`, without a byte order mark. */
export function readOwnText(path: string): string {
  return stripByteOrderMark(readOwnFile(path).toString('utf8'));
}

/**
 * Returns the first bytes of a file given by the user: a regular file, or a pipe or device, read until its writer
 * closes it.
 * @throws the file system's error, a similar one for a directory or a pipe without a writer, and the signal's reason
 */
export async function readStart(path: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
  const handle = openNonBlocking(path);
  try {
    const found = fstatSync(handle);
    if (found.isDirectory()) throw new UnreadableFile('EISDIR', 'it is a directory');
    const chunks: Buffer[] = [];
    let size = 0;
    const start = performance.now();
    for (;;) {
      signal?.throwIfAborted();
      const { bytes, state } = readAvailable(handle, maxBytes - size);
      chunks.push(bytes);
      size += bytes.length;
      // A pipe also reports its end before a writer has opened it.
      const isUnopened = found.isFIFO() && size === 0 && state === 'end';
      if (size >= maxBytes || (state === 'end' && !isUnopened)) return Buffer.concat(chunks);
      if (isUnopened && performance.now() - start > maxWriterWaitMs)
        throw new UnreadableFile('ENOWRITER', 'it is a pipe without a writer');
      await systemClock.sleep(pollingPauseMs, signal);
    }
  } finally {
    closeSync(handle);
  }
}

/** Reads the bytes that are available. `later` means that more may come. */
export function readAvailable(
  handle: number,
  maxBytes: number,
): { readonly bytes: Buffer; readonly state: 'end' | 'later' } {
  const chunks: Buffer[] = [];
  let size = 0;
  while (size < maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkSize, maxBytes - size));
    const read = readNonBlocking(handle, chunk);
    if (read === 0 || read === 'later')
      return { bytes: Buffer.concat(chunks), state: read === 0 ? 'end' : 'later' };
    chunks.push(chunk.subarray(0, read));
    size += read;
  }
  return { bytes: Buffer.concat(chunks), state: 'end' };
}

function readNonBlocking(handle: number, chunk: Buffer): number | 'later' {
  try {
    return readSync(handle, chunk);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 'later';
    throw error;
  }
}
