import { defineCommand } from '../../cli/command.ts';
import { wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseStreamed } from '../../cli/list/list-rows.ts';
import { type Condition, containing } from '../../cli/list/where.ts';
import { optionalArgument } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import { optOutFields, optOutRow, optOutsOf } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List opt-outs',
  arguments: { search: optionalArgument('only opt-outs with this text in the number or note', nonEmptyText) },
  options: { ...wholeListOptions(optOutFields), ...storeOptions },
  examples: [
    { line: 'botctl optouts list', does: 'List every number' },
    { line: 'botctl optouts list fair', does: 'Search numbers and notes' },
    { line: 'botctl optouts list -o csv > optouts.csv', does: 'Save them for optouts import elsewhere' },
  ],
  needs: 'identity',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: optOutFields,
    empty: {
      none: remark`No opt-outs yet. Add one: ${command('optouts', 'add', placeholder('<number>'))}`,
      noMatch: 'No number matches.',
    },
  },
  async run(session, { search, database, ...choice }) {
    const optOuts = await optOutsOf(session, { database });
    const pages = async function* (): AsyncGenerator<readonly Row[]> {
      for await (const page of optOuts.list()) yield page.map(optOutRow);
    };
    const where = search === undefined ? choice.where : [...choice.where, searchFor(search)];
    return chooseStreamed(session, pages(), { ...choice, where });
  },
});

/** A number may be typed with spaces and dashes; it is stored without them. */
function searchFor(typed: string): Condition {
  const digits = typed.replace(/[\s().-]/g, '');
  const number = containing(/^\+?\d+$/.test(digits) ? digits : typed, ['number']);
  const note = containing(typed, ['note']);
  return { holds: (row) => number.holds(row) || note.holds(row) };
}
