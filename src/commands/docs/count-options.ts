import { choice, flag, manyOptions, option, optionOr } from '../../cli/options.ts';
import { nonEmptyText } from '../../lib/parse.ts';

/** How the characters of files are counted, by every command that counts them. */
export const countOptions = {
  asText: manyOptions(
    '--as-text <glob>',
    'also treat files of these names as text, such as "*.csv"',
    nonEmptyText,
  ),
  passwordStdin: flag('--password-stdin', 'read the password of encrypted PDF files from stdin'),
};

/** Which files are meant. */
export const fileOptions = {
  include: manyOptions(
    '--include <glob>',
    'only files whose name or path in the folder matches',
    nonEmptyText,
  ),
  exclude: manyOptions('--exclude <glob>', 'skip files and folders of these names', nonEmptyText),
};

const nameBy = ['--name-by <what>', 'name documents by file name, or by path in the folder'] as const;

/** What documents are called. */
export const nameByOption = optionOr(...nameBy, 'name', choice('name', 'path'));

/** The same where it may be kept from the time before. */
export const nameByChoice = option(...nameBy, choice('name', 'path'));
