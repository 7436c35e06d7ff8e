import { choice, flag, manyOptions, option, optionOr } from '../../cli/options.ts';
import { nonEmptyText } from '../../lib/parse.ts';

/** The options of all commands that count the characters of files. */
export const countOptions = {
  asText: manyOptions(
    '--as-text <glob>',
    'also treat files of these names as text, such as "*.csv"',
    nonEmptyText,
  ),
  passwordStdin: flag('--password-stdin', 'read the password of encrypted PDF files from stdin'),
};

/** The options that select files. */
export const fileOptions = {
  include: manyOptions(
    '--include <glob>',
    'only files whose name or path in the folder matches',
    nonEmptyText,
  ),
  exclude: manyOptions('--exclude <glob>', 'skip files and folders of these names', nonEmptyText),
};

const nameBy = ['--name-by <what>', 'name documents by file name, or by path in the folder'] as const;

/** The names of documents. */
export const nameByOption = optionOr(...nameBy, 'name', choice('name', 'path'));

/** The same without a default, for a command that may keep the earlier choice. */
export const nameByChoice = option(...nameBy, choice('name', 'path'));
