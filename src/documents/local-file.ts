import { createHash } from 'node:crypto';
import { type BigIntStats, constants, createReadStream, readFileSync, statSync } from 'node:fs';
import { access, type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { notRegularFile, unreadable } from '../lib/files/file-failure.ts';
import type { ByteSource } from './count/bytes.ts';
import { NotCounted } from './count/not-counted.ts';

/** Bytes read at a time. */
const chunkSize = 256 * 1024;

/** What tells that nobody has written to a file. */
export interface FileState {
  /** Bytes. */
  readonly size: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly modified: number;
}

/**
 * Checks that a path leads to a regular file that can be read and is not empty. Returns its state.
 * @throws Failure `invalidInput`
 */
export async function checkFile(path: string): Promise<FileState> {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!found.isFile()) {
    const hint = found.isDirectory() ? 'Give the path of a file.' : 'Save it as a file first.';
    throw notRegularFile(path, found, hint);
  }
  if (found.size === 0n) throw new NotCounted('empty', path, 'is empty', 'Give a file with something in it.');
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return stateOf(found);
}

/** True if a file is not as it was, or not there any more. */
export function hasChanged({ path, size, modified }: FileState & { readonly path: string }): boolean {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  const now = found && stateOf(found);
  return now?.size !== size || now.modified !== modified;
}

function stateOf({ size, mtimeNs }: BigIntStats): FileState {
  return { size: Number(size), modified: Number(mtimeNs) / 1e6 };
}

/**
 * Returns the state of a file, which it does not open.
 * @throws the file system's error
 */
export function lookAt(path: string): FileState {
  return stateOf(statSync(path, { bigint: true }));
}

/**
 * Returns the bytes of a file: of a small one read at once, since opening it for each look takes longer than all the rest.
 * @param size its bytes
 * @param signal ends the reading of another
 * @throws Failure `invalidInput`, here or while reading, and the signal's reason
 */
export async function fileContent(path: string, size: number, signal: AbortSignal): Promise<ByteSource> {
  if (size > chunkSize) return fileSource(path, signal);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return async function* () {
    yield bytes;
  };
}

/** Larger files are read in pieces for their hash, between which others have their turn. */
const maxHashedAtOnce = 1024 * 1024;

/**
 * Returns the SHA-256 of what is in a file, in hexadecimal.
 * @param size its bytes
 * @param signal ends the reading of a large one
 * @throws Failure `invalidInput` where it can't be read, and the signal's reason
 */
export async function contentHash(path: string, size: number, signal: AbortSignal): Promise<string> {
  try {
    const whole = createHash('sha256');
    if (size < maxHashedAtOnce) return whole.update(readFileSync(path)).digest('hex');
    for await (const bytes of createReadStream(path, { highWaterMark: maxHashedAtOnce })) {
      signal.throwIfAborted();
      whole.update(bytes);
    }
    return whole.digest('hex');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Returns the bytes of a file, streamed from disk into the same memory again and again.
 * @param signal ends the reading
 * @throws Failure `invalidInput` while reading, and the signal's reason
 */
function fileSource(path: string, signal: AbortSignal): ByteSource {
  return async function* () {
    let file: FileHandle | undefined;
    try {
      file = await open(path);
      const buffer = new Uint8Array(chunkSize);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, chunkSize, null);
        signal.throwIfAborted();
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw unreadable(path, error);
    } finally {
      await file?.close();
    }
  };
}
