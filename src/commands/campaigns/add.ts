import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { listOptions } from './options.ts';
import { markedCampaign, storeOf } from './stored.ts';
import { writeList } from './write-list.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'Add new rows of a list to a campaign',
  description:
    'The new rows get the message and the devices of the campaign. A row is skipped if the campaign already has its ' +
    'number, or its value in the column of campaigns create --key-column. So you can append rows to a list and add ' +
    'the same file again.',
  arguments: { campaign: argument('name of the campaign', nameOf('campaign')) },
  options: { ...listOptions, ...storeOptions },
  examples: [
    { line: 'botctl campaigns add spring --recipients people.csv', does: 'Add the new rows of a list' },
    {
      line: 'botctl campaigns add spring --recipients people.csv --limit 100',
      does: 'Add the next hundred rows',
    },
  ],
  needs: 'identity',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'name' },
      { name: 'added', kind: 'number' },
      { name: 'planned', kind: 'number' },
      { name: 'opted_out', heading: 'Opted out', kind: 'number' },
      { name: 'duplicates', kind: 'number' },
      { name: 'invalid', kind: 'number' },
      { name: 'known', heading: 'Already there', kind: 'number' },
      { name: 'rows', heading: 'Total rows', kind: 'number' },
    ],
  },
  async prepare(session, { campaign: name, recipients, toColumn, database }) {
    const stored = await markedCampaign(session, { campaign: name, database });
    const { cancelledFailure } = await import('../../campaigns/campaign-failures.ts');
    if (stored.mark?.state === 'cancelled') throw cancelledFailure(name);
    const { readList } = await import('../../campaigns/read-list.ts');
    const { to_column, key_column: keyColumn } = stored.campaign;
    const list = await readList(session.io, { recipients, toColumn: toColumn ?? to_column, keyColumn });
    return { stored, list };
  },
  async run(session, { campaign: name, ...input }, { stored, list }) {
    const { terminal } = session;
    const { dryRun } = input;
    const { planRows } = await import('../../campaigns/draft-list.ts');
    const { campaign, rows } = stored;
    const store = await storeOf(session, input);
    const plan = planRows(list, campaign, rows, "The campaign's message");
    const { file, sha256 } = list;
    const source = { file, sha256 };
    const draft = await store.draftMore(campaign, { after: rows, columns: plan.columns, source });
    const { summary, notes } = await writeList(session, { store, draft, list, plan, input });
    const { planned, opted_out, duplicates, rows: added } = summary.counts;
    if (dryRun) terminal.note('Dry run: nothing was saved.');
    else terminal.done(`Added ${pluralize(added, 'row')} to ${name}. Nothing was sent.`);
    return {
      ...{ name, added, planned, opted_out, duplicates },
      ...{ invalid: notes.problems.count, known: notes.existing, rows: rows + (dryRun ? 0 : added) },
    };
  },
});
