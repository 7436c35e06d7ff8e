import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { type Failure, inputFailure } from '../../lib/errors.ts';
import { notRegularFile, unreadable } from '../../lib/files/file-failure.ts';
import { readTextFile } from '../../lib/files/text-input.ts';
import { instructionsFileField } from './editable.ts';

/**
 * Returns the text of the file that a bot file names. It lies beside the bot file or below, links followed: a bot file
 * may come from elsewhere, and must not send what else is on this machine. A person who wants another file names it on
 * the command line.
 * @param path as the bot file says it
 * @param directory of the bot file
 * @param label the place in the bot file, for messages
 * @throws Failure `invalidInput`, and the signal's reason
 */
export async function readInstructions(
  path: unknown,
  directory: string,
  label: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (typeof path !== 'string' || path.trim() === '')
    throw inputFailure([`${label}${instructionsFileField} must be the path of a file.`]);
  if (isAbsolute(path) || leadsOut(path)) throw outside(path, label);
  const target = join(directory, path);
  try {
    if (leadsOut(relative(realpathSync(directory), realpathSync(target)))) throw outside(path, label);
    const found = statSync(target);
    if (!found.isFile()) throw notRegularFile(target, found, 'Name a file with the text.');
  } catch (error) {
    throw unreadable(target, error);
  }
  return readTextFile(target, signal);
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
