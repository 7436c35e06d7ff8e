import { integer, nonEmptyText } from '../../lib/parse.ts';
import type { Fields } from '../../output/fields.ts';
import { flag, manyOptions, option, positional, withForm } from '../options.ts';
import { parseOrder } from './sort.ts';
import { parseCondition } from './where.ts';

/** The default number of rows on a terminal, and of rows per page with `--page`. */
export const defaultLimit = 50;

/**
 * Returns the search option of a list, which may be given by position: `teams list harbour`.
 * @param rows the rows of the list, in the plural: `teams`
 */
export function searchOption(rows: string) {
  return positional(option('--name <text>', `only ${rows} whose name contains this`, nonEmptyText));
}

/** The options that every list takes. */
function rowOptions(fields: Fields) {
  return {
    sort: option(
      '--sort <field>',
      'sort by a field; field:desc sorts descending',
      withForm({ kind: 'order', words: fields }, (raw) => parseOrder(raw, fields)),
    ),
    where: manyOptions(
      '--where <field=value>',
      'only rows with this value; != excludes it, ~ matches part of a text',
      withForm({ kind: 'pair', words: fields }, (raw) => parseCondition(raw, fields)),
    ),
  };
}

/** Returns the options of a paginated list whose rows have these fields. */
export function listOptions(fields: Fields) {
  return {
    page: option('--page <number>', `page to show, of ${defaultLimit} rows or --limit`, integer({ min: 1 })),
    limit: option(
      '--limit <number>',
      `rows to show (default: ${defaultLimit} on a terminal, otherwise all)`,
      integer({ min: 1 }),
    ),
    all: flag('--all', 'show every row, also on a terminal'),
    ...rowOptions(fields),
  };
}

/** Returns the options of a list without pages whose rows have these fields. */
export function wholeListOptions(fields: Fields) {
  return {
    limit: option('--limit <number>', 'rows to show (default: all)', integer({ min: 1 })),
    ...rowOptions(fields),
  };
}
