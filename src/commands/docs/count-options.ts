import { choice, flag, manyOptions, option, optionOr } from '../../cli/options.ts';
import { someText } from '../../lib/parse.ts';

/** How the characters of files are counted, by every command that counts them. */
export const countOptions = {
  asText: manyOptions(
    '--as-text <glob>',
    'take files of these names for text too, such as "*.csv"',
    someText,
  ),
  passwordStdin: flag('--password-stdin', 'read the password of encrypted PDF files from stdin'),
};

/** Which files are meant. */
export const fileOptions = {
  include: manyOptions('--include <glob>', 'only files of these names, or paths below the folder', someText),
  exclude: manyOptions('--exclude <glob>', 'no files or folders of these names', someText),
};

const nameBy = [
  '--name-by <what>',
  'name documents by the name of the file, or by its path below the folder',
] as const;

/** What documents are called. */
export const nameByOption = optionOr(...nameBy, 'name', choice('name', 'path'));

/** The same where it may be kept from the time before. */
export const nameByChoice = option(...nameBy, choice('name', 'path'));
