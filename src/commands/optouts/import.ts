import type { OptOut } from '../../campaigns/opt-outs.ts';
import { defineCommand } from '../../cli/command.ts';
import type { IdentityContext } from '../../cli/context.ts';
import { flag, option, optionalArgument, path } from '../../cli/options.ts';
import { regionOf } from '../../cli/region.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { inChunks } from '../../lib/iterables.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { groupedNumber, pluralize } from '../../lib/text/numbers.ts';
import { requireCampaignDatabase } from '../../settings/database-name.ts';
import { optOutsOf } from './fields.ts';

export const importOptOuts = defineCommand({
  name: 'import',
  summary: 'Import opt-outs from a file',
  description:
    'Reads CSV or NDJSON as campaigns create does, or plain numbers, one per line. Numbers that are already on the ' +
    'list are not changed. --local copies the opt-outs stored on this machine into the database, with their notes ' +
    'and times.',
  arguments: { file: optionalArgument('file with the numbers; - reads stdin', path) },
  options: {
    local: flag('--local', 'copy the opt-outs of this machine into the database'),
    toColumn: option(
      '--to-column <column>',
      'column with the phone numbers (default: guessed from its name)',
      nonEmptyText,
    ),
    note: option('--note <text>', 'reason or source', nonEmptyText),
    skipInvalid: flag('--skip-invalid', 'skip invalid rows and list them'),
    ...storeOptions,
  },
  examples: [
    { line: 'botctl optouts import optouts.csv', does: 'Import a file' },
    { line: 'botctl optouts import stopped.txt --note "replied STOP"', does: 'Add a reason to each number' },
    { line: 'botctl optouts import --local', does: 'Share the opt-outs of this machine through a database' },
  ],
  needs: 'identity',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'added', kind: 'number' },
      { name: 'known', heading: 'Already there', kind: 'number' },
      { name: 'invalid', kind: 'number' },
    ],
  },
  checkInput({ file, local, toColumn, note, skipInvalid }) {
    if (!local && file === undefined)
      throw usageFailure(['<file> is missing.'], 'Or give --local to copy the opt-outs of this machine.');
    if (!local) return;
    const others = [
      file !== undefined && 'a file',
      toColumn !== undefined && '--to-column',
      note !== undefined && '--note',
      skipInvalid && '--skip-invalid',
    ].filter((name) => name !== false);
    if (others.length > 0) throw usageFailure([`--local can't be combined with ${others.join(', ')}.`]);
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
    for (const { line, message } of wrong) session.terminal.note(`Line ${line} skipped: ${message}`);
    const more = invalid - wrong.length;
    if (more > 0) session.terminal.note(`${groupedNumber(more)} more skipped.`);
    session.terminal.done(`Added ${pluralize(added, 'number')} to the opt-out list.`);
    return { added, known, invalid };
  },
});

/** The number of opt-outs that are added at a time. */
const optOutsAtOnce = 1000;

/**
 * Returns the opt-outs in the file of this machine, which is not changed.
 * @throws Failure `usage` if no database is named, and as `OptOuts.list`
 */
async function onThisMachine(
  session: IdentityContext,
  database: URL | undefined,
): Promise<AsyncIterable<readonly OptOut[]>> {
  requireCampaignDatabase(session, database, '--local');
  const { localStore } = await import('../../campaigns/open-store.ts');
  return (await localStore(session)).optOuts(session.identity.baseUrl).list();
}
