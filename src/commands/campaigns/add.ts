import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { counted } from '../../lib/text/numbers.ts';
import { listOptions } from './options.ts';
import { markedCampaign, storeOf } from './stored.ts';
import { writeList } from './write-list.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'Add rows to a campaign: those of a list whose numbers it does not have yet',
  description:
    'The rows get the message that the campaign was made with, and go through its devices. A row whose number or key is in ' +
    'the campaign, in whatever state, is left out: the same list adds only what is new in it.',
  arguments: { campaign: argument('the campaign, by its name', nameOf('campaign')) },
  options: { ...listOptions, ...storeOptions },
  examples: [
    { line: 'botctl campaigns add spring --recipients people.csv', does: 'Add what is new in a list' },
    {
      line: 'botctl campaigns add spring --recipients people.csv --limit 100',
      does: 'Add the next hundred rows of it',
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
      { name: 'known', heading: 'There already', kind: 'number' },
      { name: 'rows', heading: 'Rows in all', kind: 'number' },
    ],
  },
  async prepare(session, { campaign: name, recipients, toColumn, database }) {
    const stored = await markedCampaign(session, { campaign: name, database });
    const { cancelledCampaign } = await import('../../campaigns/campaign-failures.ts');
    if (stored.mark?.state === 'cancelled') throw cancelledCampaign(name);
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
    if (dryRun) terminal.note('Nothing was written: that is what would be added.');
    else terminal.done(`Added ${counted(added, 'row')} to ${name}. Nothing was sent.`);
    return {
      ...{ name, added, planned, opted_out, duplicates },
      ...{ invalid: notes.problems.count, known: notes.known, rows: rows + (dryRun ? 0 : added) },
    };
  },
});
