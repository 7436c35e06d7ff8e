import { createHash } from 'node:crypto';
import { type BigIntStats, constants, createReadStream, readFileSync, statSync } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { notRegularFileFailure, readFailure } from '../lib/files/file-failure.ts';
import type { ByteSource } from './count/bytes.ts';
import { NotCounted } from './count/not-counted.ts';

/** Bytes read at a time. */
const chunkSize = 256 * 1024;

/** The state of a file, by which changes are detected. */
export interface FileState {
  /** Bytes. */
  readonly size: number;
  /** The modification time, in milliseconds since 1970. */
  readonly modified: number;
}

/**
 * Checks that a path leads to a regular file that can be read and is not empty. Returns its state.
 * @throws Failure `invalidInput`
 */
export async function checkFile(path: string): Promise<FileState> {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => {
    throw readFailure(path, error);
  });
  if (!found.isFile()) {
    const hint = found.isDirectory() ? 'Give the path of a file.' : 'Save it as a file first.';
    throw notRegularFileFailure(path, found, hint);
  }
  if (found.size === 0n) throw new NotCounted('empty', path, 'is empty', 'Use a file with text.');
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw readFailure(path, error);
  });
  return stateOf(found);
}

/** Returns whether a file has changed or no longer exists. */
export function hasChanged({ path, size, modified }: FileState & { readonly path: string }): boolean {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  const now = found && stateOf(found);
  return now?.size !== size || now.modified !== modified;
}

function stateOf({ size, mtimeNs }: BigIntStats): FileState {
  return { size: Number(size), modified: Number(mtimeNs) / 1e6 };
}

/**
 * Returns the state of a file without opening it.
 * @throws the file system's error
 */
export function readFileState(path: string): FileState {
  return stateOf(statSync(path, { bigint: true }));
}

/**
 * Returns the bytes of a file. A small file is read at once, since opening it for each use takes longer than the rest of the work.
 * @param size its bytes
 * @param signal ends the reading of a larger one
 * @throws Failure `invalidInput`, here or while reading, and the signal's reason
 */
export async function fileContent(path: string, size: number, signal: AbortSignal): Promise<ByteSource> {
  if (size > chunkSize) return fileSource(path, signal);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw readFailure(path, error);
  });
  return async function* () {
    yield bytes;
  };
}

/**
 * Returns the SHA-256 of a file's content, in hexadecimal.
 * @param size its bytes
 * @param signal ends the reading of a large one
 * @throws Failure `invalidInput` if it can't be read, and the signal's reason
 */
export async function contentHash(path: string, size: number, signal: AbortSignal): Promise<string> {
  const whole = createHash('sha256');
  try {
    // Synchronously: a folder may have thousands of small files, and awaiting each takes longer than reading it.
    if (size <= chunkSize) return whole.update(readFileSync(path)).digest('hex');
  } catch (error) {
    throw readFailure(path, error);
  }
  for await (const bytes of fileSource(path, signal)()) whole.update(bytes);
  return whole.digest('hex');
}

/**
 * Returns the bytes of a file, streamed from disk.
 * @param signal ends the reading
 * @throws Failure `invalidInput` while reading, and the signal's reason
 */
function fileSource(path: string, signal: AbortSignal): ByteSource {
  return async function* () {
    try {
      for await (const bytes of createReadStream(path, { highWaterMark: chunkSize })) {
        signal.throwIfAborted();
        yield bytes;
      }
    } catch (error) {
      throw readFailure(path, error);
    }
  };
}
