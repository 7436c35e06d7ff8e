import { inputFailure } from '../../lib/errors.ts';
import { readBelow } from '../../lib/files/below.ts';
import { instructionsFileField } from './editable.ts';

/**
 * Returns the text of the file that a bot file names, which lies beside the bot file or below. A person who wants
 * another file names it on the command line.
 * @param path as the bot file says it
 * @param directory of the bot file
 * @param label the place in the bot file, for messages
 * @throws Failure `invalidInput`
 */
export function readInstructions(path: unknown, directory: string, label: string): string {
  if (typeof path !== 'string' || path.trim() === '')
    throw inputFailure([`${label}${instructionsFileField} must be the path of a file.`]);
  const refused = inputFailure(
    [
      `${label}${instructionsFileField} may name a file beside this one or below, not ${JSON.stringify(path)}.`,
    ],
    'Copy it there, or name it on the command line with --instructions-file.',
  );
  return readBelow(path, directory, refused);
}
