import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isPrivate, makePrivateDirectory } from './private-file.ts';

/** Milliseconds after which unused files may be removed: 30 days. */
const maxAgeMs = 30 * 86_400_000;

/**
 * Creates a directory whose files are run as code, if it is missing. Returns false if another user may have written
 * into it.
 * @throws the file system's error if it can't be created
 */
export function makeCodeDirectory(directory: string): boolean {
  makePrivateDirectory(directory);
  const found = lstatSync(directory);
  return found.isDirectory() && isPrivate(found);
}

/**
 * Removes entries of a directory that were not written for 30 days.
 * @param now milliseconds since 1970
 * @throws the file system's error, for example if another process removes them too
 */
export function removeUnused(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (lstatSync(path).mtimeMs < now - maxAgeMs) rmSync(path, { recursive: true, force: true });
  }
}
