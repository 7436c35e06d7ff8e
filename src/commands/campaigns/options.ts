import type { Gap } from '../../campaigns/campaign.ts';
import { flag, option, path, requiredOption } from '../../cli/options.ts';
import { duration, integer, type Parse, someText, ValueError } from '../../lib/parse.ts';

/** The name of a new campaign: it stands on command lines and in sentences. */
export const newName: Parse<string> = (typed) => {
  const name = typed.trim();
  if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,79}$/u.test(name)) return name;
  throw new ValueError(
    `must be up to 80 letters, digits, blanks, dots, hyphens and underscores, and begin with a letter or digit, not "${typed}"`,
  );
};

/** A pause, or a range of pauses to draw from: `10s`, `6s..15s`. */
export const gap: Parse<Gap> = (typed) => {
  const [first = '', last = first, ...more] = typed.split('..');
  if (more.length > 0) throw new ValueError(`must be a pause or a range such as 6s..15s, not "${typed}"`);
  const [shortest, longest] = [duration(first), duration(last)];
  if (shortest > longest) throw new ValueError(`must have its shorter pause first, not "${typed}"`);
  return { shortest, longest };
};

/** How a list of recipients is read, by every command that takes one. */
export const listOptions = {
  recipients: requiredOption('--recipients <file>', 'CSV or NDJSON with a row for each; - for stdin', path),
  toColumn: option(
    '--to-column <column>',
    'column with the phone numbers, where its name does not tell',
    someText,
  ),
  skipInvalid: flag('--skip-invalid', 'leave out rows with something wrong, and say which'),
  limit: option(
    '--limit <number>',
    'plan so many rows at the most, and leave the rest of the file',
    integer({ min: 1 }),
  ),
  dryRun: flag('--dry-run', 'check and show everything, and write nothing'),
};
