import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { errorCode } from '../errors.ts';

/** Mode of a file that only its owner may read. */
export const privateFile = 0o600;

/** Mode of a directory that only its owner may enter. */
const privateDirectory = 0o700;

/** Permissions that let users other than the owner change a file. */
const writableByOthers = 0o022;

/** Deeper than any plausible directory. */
const maxParents = 64;

/**
 * Creates a directory that only its owner may enter. An existing one keeps its mode: the path may be a shared directory
 * by mistake, and restricting it would lock out everyone else. Missing parents are created one at a time: Node's
 * recursive mkdir never returns below directories such as /proc.
 * @throws the file system's error if it can't be created
 */
export function makePrivateDirectory(directory: string): void {
  const missing: string[] = [];
  for (let path = directory; !exists(path) && missing.length < maxParents; path = dirname(path))
    missing.unshift(path);
  for (const path of missing) makeDirectory(path);
  // The trailing separator makes the call fail for a file.
  statSync(`${directory}${sep}`);
}

/**
 * Returns true if no other user can have written the file, or into the directory. On Windows only the user can access
 * botctl's directories.
 */
export function isPrivate({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean {
  return !process.geteuid || (uid === process.geteuid() && (mode & writableByOthers) === 0);
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: privateDirectory });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
