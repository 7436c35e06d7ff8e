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
  ENXIO: 'it is a socket, or a device that is not there',
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
 * Returns the error for a file of the user that can't be read: a `usage` failure that names the file and the reason, or
 * the error itself where it isn't the file system's.
 */
export function readFailure(path: string, error: unknown): unknown {
  const why = readErrorReason(error);
  if (why === undefined) return error;
  return new Failure('invalidInput', `Can't read ${path}: ${why}.`, {
    hint: 'Check the path and its permissions.',
    cause: error,
  });
}

/** Returns why something can't be read, in words, or undefined if the error isn't the file system's. */
function readErrorReason(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined) return undefined;
  return ownMember(readReasons, code) ?? (error instanceof UnreadableFile ? error.message : code);
}

/** Returns why something can't be written, in words, or undefined if the error isn't the file system's. */
export function writeReason(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined) return undefined;
  return ownMember(writeReasons, code) ?? (error instanceof UnreadableFile ? error.message : code);
}

/** Returns the error for a file that can't be written; as `unreadable`. */
export function writeFailure(path: string, error: unknown): unknown {
  const why = writeReason(error);
  if (why === undefined) return error;
  return new Failure('invalidInput', `Can't write ${path}: ${why}.`, {
    hint: 'Name a file in a place where you may write.',
    cause: error,
  });
}

/** Returns the failure for a path that has to lead to a regular file, and leads to something else. */
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
 * True if writing to a path would replace a file.
 * @throws Failure `invalidInput` if its directory is missing, or if the path leads to something that is not a regular file
 */
export function replacesFile(path: string): boolean {
  try {
    // With a slash at the end, what is no directory fails: from Node 22 on the call below takes it for no entry.
    statSync(`${dirname(path)}/`);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isFile()) throw notRegularFileFailure(path, found, 'Name a new file.');
    return found !== undefined;
  } catch (error) {
    throw writeFailure(path, error);
  }
}
