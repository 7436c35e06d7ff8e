import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, Failure } from '../errors.ts';
import { ownMember } from '../json-object.ts';
import { UnreadableFile } from './read-file.ts';

/** Reasons why a file of the user can't be read, by the file system's code. */
const readReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a link that leads to itself',
  ENXIO: 'it is a socket, or a missing device',
};

const writeReasons: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a link that leads to itself',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
};

/**
 * Converts an error of reading a user's file to an `invalidInput` failure with the file and the reason. Returns any
 * other error unchanged.
 */
export function readFailure(path: string, error: unknown): unknown {
  const why = readErrorReason(error);
  if (why === undefined) return error;
  return new Failure('invalidInput', `Can't read ${path}: ${why}.`, {
    hint: 'Check the path and its permissions.',
    cause: error,
  });
}

/** Describes why something can't be read; undefined if the error isn't the file system's. */
function readErrorReason(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined) return undefined;
  return ownMember(readReasons, code) ?? (error instanceof UnreadableFile ? error.message : code);
}

/** Describes why something can't be written; undefined if the error isn't the file system's. */
export function writeReason(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined) return undefined;
  return ownMember(writeReasons, code) ?? (error instanceof UnreadableFile ? error.message : code);
}

/** Converts an error of writing a file to a failure, as `readFailure`. */
export function writeFailure(path: string, error: unknown): unknown {
  const why = writeReason(error);
  if (why === undefined) return error;
  return new Failure('invalidInput', `Can't write ${path}: ${why}.`, {
    hint: 'Choose a writable path.',
    cause: error,
  });
}

/** Returns the failure for a path that is not a regular file. */
export function notRegularFileFailure(
  path: string,
  found: Pick<Stats, 'isDirectory'>,
  hint: string,
): Failure {
  return new Failure(
    'invalidInput',
    `${path} is ${found.isDirectory() ? 'a directory' : 'not a regular file'}.`,
    {
      hint,
    },
  );
}

/**
 * Returns true if writing to a path would replace a file.
 * @throws Failure `invalidInput` if its directory is missing, or if the path is not a regular file
 */
export function replacesFile(path: string): boolean {
  try {
    // The trailing slash makes the call fail for a file: from Node 22 on, the next call reports it as a missing entry.
    statSync(`${dirname(path)}/`);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isFile()) throw notRegularFileFailure(path, found, 'Choose a new file.');
    return found !== undefined;
  } catch (error) {
    throw writeFailure(path, error);
  }
}
