import type { OptOut } from '../../campaigns/opt-outs.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Identified } from '../../cli/context.ts';
import { flag, option, optionalArgument, path } from '../../cli/options.ts';
import { regionOf } from '../../cli/region.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { inChunks } from '../../lib/iterables.ts';
import { someText } from '../../lib/parse.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { campaignDatabase } from '../../settings/database-name.ts';
import { optOutsOf } from './fields.ts';

export const importOptOuts = defineCommand({
  name: 'import',
  summary: 'Note the numbers of a list, none of which is to be written to',
  description:
    'Takes CSV or NDJSON as campaigns create does, and a list of numbers alone, one a line. Numbers that were noted already ' +
    'stay as they are. --local takes those that are in files of this machine, where they stay, with their notes and times.',
  arguments: { file: optionalArgument('file to read; - for stdin', path) },
  options: {
    local: flag('--local', 'bring those over that are in files of this machine, into the database'),
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
    { line: 'botctl optouts import --local', does: 'Let all hosts of a database know those of this machine' },
  ],
  needs: 'identity',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'added', kind: 'number' },
      { name: 'known', heading: 'Noted already', kind: 'number' },
      { name: 'invalid', kind: 'number' },
    ],
  },
  checkInput({ file, local, toColumn, note, skipInvalid }) {
    if (!local && file === undefined)
      throw usageFailure(['<file> is missing.'], 'Or give --local, for those in files of this machine.');
    if (!local) return;
    const others = [
      file !== undefined && 'a file',
      toColumn !== undefined && '--to-column',
      note !== undefined && '--note',
      skipInvalid && '--skip-invalid',
    ].filter((name) => name !== false);
    if (others.length > 0) throw usageFailure([`--local goes without ${others.join(', ')}.`]);
  },
  async prepare(session, { file, local, toColumn, note, skipInvalid, database }) {
    if (local || file === undefined)
      return { optOuts: await onThisMachine(session, database), wrong: [], invalid: 0 };
    const { readNumbers } = await import('../../campaigns/read-numbers.ts');
    const given = { file, toColumn, skipInvalid, region: regionOf(session) };
    const { numbers, problems } = await readNumbers(session.io, given);
    const added_at = new Date(session.clock.now()).toISOString();
    const optOuts = inChunks(
      numbers.map((number) => ({ number, added_at, note })),
      optOutsAtOnce,
    );
    return { optOuts, wrong: problems.first.slice(0, 10), invalid: problems.count };
  },
  async run(session, { database }, { optOuts, wrong, invalid }) {
    const stored = await optOutsOf(session, { database }, true);
    let [added, known] = [0, 0];
    for await (const page of optOuts) {
      session.signal.throwIfAborted();
      const { length } = await stored.add(page);
      added += length;
      known += page.length - length;
    }
    for (const { line, says } of wrong) session.terminal.note(`Line ${line} was left out: ${says}`);
    const more = invalid - wrong.length;
    if (more > 0) session.terminal.note(`${more} more were left out.`);
    session.terminal.done(`Noted ${groupedNumber(added)} numbers that are not to be written to.`);
    return { added, known, invalid };
  },
});

/** Opt-outs that are added at a time. */
const optOutsAtOnce = 1000;

/**
 * Returns the opt-outs in the file of this machine, which stay there.
 * @throws Failure `usage` where no database is named, and as `OptOuts.list`
 */
async function onThisMachine(
  session: Identified,
  database: URL | undefined,
): Promise<AsyncIterable<readonly OptOut[]>> {
  if (campaignDatabase(session, database) === undefined)
    throw usageFailure(
      ['--local brings opt-outs of this machine into a database, and none is named.'],
      'Name it with --database, BOTCTL_DATABASE or in the profile.',
    );
  const { storeHere } = await import('../../campaigns/open-store.ts');
  return (await storeHere(session)).optOuts(session.identity.baseUrl).list();
}
