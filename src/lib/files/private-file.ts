import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { errorCode } from '../errors.ts';

/** Mode of a file that only its owner may read. */
export const privateFile = 0o600;

/** Mode of a directory that only its owner may enter. */
const privateDirectory = 0o700;

/** Permissions that let others than the owner change a file. */
const writableByOthers = 0o022;

/** Deeper than any directory that is meant. */
const maxParents = 64;

/**
 * Makes a directory that only its owner may enter. One that is there already keeps its mode: a shared one can be named by
 * mistake, and closing it would lock everybody else out. Missing parents are made one at a time: Node's recursive mkdir
 * never returns below directories such as /proc.
 * @throws the file system's error where that is impossible
 */
export function makePrivateDirectory(directory: string): void {
  const missing: string[] = [];
  for (let path = directory; !exists(path) && missing.length < maxParents; path = dirname(path))
    missing.unshift(path);
  for (const path of missing) makeDirectory(path);
  // The separator makes the system refuse what is a file.
  statSync(`${directory}${sep}`);
}

/** True if no other user can have written the file, or into the directory. On Windows only its user can reach what is botctl's own. */
export function isPrivate({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean {
  return !process.geteuid || (uid === process.geteuid() && (mode & writableByOthers) === 0);
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: privateDirectory });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
