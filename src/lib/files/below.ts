import { closeSync, fstatSync, lstatSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Failure } from '../errors.ts';
import { errorCode } from './error-code.ts';
import { notRegularFile, unreadable } from './file-failure.ts';
import { openAtOnce } from './read-file.ts';
import { readOpenText } from './text-input.ts';

/**
 * Returns the text of a file that another file names. It lies in a directory or below, links followed: what names it may
 * come from elsewhere, and must not send what else is on this machine.
 * @param path as the other file says it, from the directory
 * @param refused the failure where it lies elsewhere
 * @throws Failure `invalidInput`
 */
export function readBelow(path: string, directory: string, refused: Failure): string {
  const found = pathBelow(path, directory, refused);
  const target = join(directory, path);
  try {
    const handle = openItself(found, refused);
    try {
      const opened = fstatSync(handle);
      // A link may have come into the place of a directory above it since the path was looked at.
      if (realpathSync(found) !== found || !isSameFile(opened, lstatSync(found))) throw refused;
      if (!opened.isFile()) throw notRegularFile(target, opened, 'Name a file with the text.');
      return readOpenText(handle, target);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw unreadable(target, error);
  }
}

/**
 * Returns the place of what is in a directory or below, with every link on the way followed.
 * @param refused the failure where it lies elsewhere
 * @throws Failure `invalidInput`
 */
export function pathBelow(path: string, directory: string, refused: Failure): string {
  if (leadsOut(path)) throw refused;
  try {
    const found = realpathSync(join(directory, path));
    if (leadsOut(relative(realpathSync(directory), found))) throw refused;
    return found;
  } catch (error) {
    throw unreadable(join(directory, path), error);
  }
}

/** True if a path leads out of the directory that it is relative to. */
export function leadsOut(path: string): boolean {
  const steps = join(path).split(sep);
  return isAbsolute(path) || steps[0] === '..';
}

/** @throws `refused` where a link has come into the place of the file */
function openItself(path: string, refused: Failure): number {
  try {
    return openAtOnce(path, { followsLink: false });
  } catch (error) {
    throw errorCode(error) === 'ELOOP' ? refused : error;
  }
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}
