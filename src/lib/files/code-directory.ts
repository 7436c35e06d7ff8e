import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isPrivate, makePrivateDirectory } from './private-file.ts';

/** Milliseconds after which what is unused may be removed: 30 days. */
const maxAgeMs = 30 * 86_400_000;

/**
 * Makes a directory whose files are run as code, if there is none. Returns false if another user can have written into it.
 * @throws the file system's error if that is impossible
 */
export function makeCodeDirectory(directory: string): boolean {
  makePrivateDirectory(directory);
  const found = lstatSync(directory);
  return found.isDirectory() && isPrivate(found);
}

/**
 * Removes what was not written for 30 days from a directory.
 * @param now milliseconds since 1970
 * @throws the file system's error, as when another process removes it too
 */
export function removeUnused(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (lstatSync(path).mtimeMs < now - maxAgeMs) rmSync(path, { recursive: true, force: true });
  }
}
