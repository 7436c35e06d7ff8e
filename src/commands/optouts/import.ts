import { defineCommand } from '../../cli/command.ts';
import { argument, flag, option, path } from '../../cli/options.ts';
import { regionOf } from '../../cli/region.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { someText } from '../../lib/parse.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { optOutsOf } from './opt-outs.ts';

export const importOptOuts = defineCommand({
  name: 'import',
  summary: 'Note the numbers of a list, none of which is to be written to',
  description:
    'Takes CSV or NDJSON as campaigns create does, and a list of numbers alone, one a line. Numbers that were noted already ' +
    'stay as they are.',
  arguments: { file: argument('file to read; - for stdin', path) },
  options: {
    toColumn: option(
      '--to-column <column>',
      'column with the phone numbers, where its name does not tell',
      someText,
    ),
    note: option('--note <text>', 'where that comes from', someText),
    skipInvalid: flag('--skip-invalid', 'leave out rows with something wrong, and say which'),
    ...storeOptions,
  },
  examples: [
    { line: 'botctl optouts import optouts.csv', does: 'Note the numbers of a list' },
    { line: 'botctl optouts import stopped.txt --note "replied STOP"', does: 'Note where they come from' },
  ],
  needs: 'session',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'added', kind: 'number' },
      { name: 'known', heading: 'Noted already', kind: 'number' },
      { name: 'invalid', kind: 'number' },
    ],
  },
  async prepare(session, { file, toColumn, skipInvalid }) {
    const { readNumbers } = await import('../../campaigns/read-numbers.ts');
    const given = { file, toColumn, skipInvalid, region: regionOf(session) };
    return readNumbers(session.io, given);
  },
  async run(session, { note, database }, { numbers, problems }) {
    const added_at = new Date(session.clock.now()).toISOString();
    const optOuts = numbers.map((number) => ({ number, added_at, note }));
    const added = (await (await optOutsOf(session, { database }, true)).add(optOuts)).length;
    const told = problems.first.slice(0, 10);
    for (const { line, says } of told) session.terminal.note(`Line ${line} was left out: ${says}`);
    const more = problems.count - told.length;
    if (more > 0) session.terminal.note(`${more} more were left out.`);
    session.terminal.done(`Noted ${groupedNumber(added)} numbers that are not to be written to.`);
    return { added, known: numbers.length - added, invalid: problems.count };
  },
});
