import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { Failure } from '../errors.ts';
import { unreadable } from '../files/file-failure.ts';
import type { ByteSource } from './bytes.ts';

/** Bytes read at a time. */
const chunkSize = 256 * 1024;

/**
 * Makes sure that a path leads to a file that can be read and has something in it. Gives its size in bytes.
 * @throws Failure `usage`
 */
export async function checkFile(path: string): Promise<{ readonly size: number }> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (found.isDirectory())
    throw new Failure('usage', `${path} is a directory.`, { hint: 'Give the path of a file.' });
  if (!found.isFile()) {
    throw new Failure('usage', `${path} is not a regular file.`, { hint: 'Save it as a file first.' });
  }
  if (found.size === 0)
    throw new Failure('usage', `${path} is empty.`, { hint: 'Give a file with something in it.' });
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return { size: found.size };
}

/**
 * The bytes of a file, streamed from disk.
 * @throws Failure `usage` while reading
 */
export function fileSource(path: string): ByteSource {
  return async function* () {
    try {
      yield* createReadStream(path, { highWaterMark: chunkSize });
    } catch (error) {
      throw unreadable(path, error);
    }
  };
}
