import { closeSync, fstatSync, lstatSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { type Failure, inputFailure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { notRegularFile, unreadable } from '../../lib/files/file-failure.ts';
import { openAtOnce } from '../../lib/files/read-file.ts';
import { readOpenText } from '../../lib/files/text-input.ts';
import { instructionsFileField } from './editable.ts';

/**
 * Returns the text of the file that a bot file names. It lies beside the bot file or below, links followed: a bot file
 * may come from elsewhere, and must not send what else is on this machine. A person who wants another file names it on
 * the command line.
 * @param path as the bot file says it
 * @param directory of the bot file
 * @param label the place in the bot file, for messages
 * @throws Failure `invalidInput`
 */
export function readInstructions(path: unknown, directory: string, label: string): string {
  if (typeof path !== 'string' || path.trim() === '')
    throw inputFailure([`${label}${instructionsFileField} must be the path of a file.`]);
  if (isAbsolute(path) || leadsOut(path)) throw outside(path, label);
  const target = join(directory, path);
  try {
    const found = realpathSync(target);
    if (leadsOut(relative(realpathSync(directory), found))) throw outside(path, label);
    const handle = openItself(found, outside(path, label));
    try {
      const opened = fstatSync(handle);
      // A link may have come into the place of a directory above it since the path was looked at.
      if (realpathSync(found) !== found || !isSameFile(opened, lstatSync(found))) throw outside(path, label);
      if (!opened.isFile()) throw notRegularFile(target, opened, 'Name a file with the text.');
      return readOpenText(handle, target);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw unreadable(target, error);
  }
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

/** True if a path leads out of the directory that it is relative to. */
function leadsOut(path: string): boolean {
  const steps = join(path).split(sep);
  return isAbsolute(path) || steps[0] === '..';
}

function outside(path: string, label: string): Failure {
  return inputFailure(
    [
      `${label}${instructionsFileField} may name a file beside this one or below, not ${JSON.stringify(path)}.`,
    ],
    'Copy it there, or name it on the command line with --instructions-file.',
  );
}
