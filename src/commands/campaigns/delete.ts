import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { campaignOverview, storeOf } from './stored.ts';

export const deleteCampaign = defineCommand({
  name: 'delete',
  summary: 'Delete a campaign and all its data',
  arguments: { campaign: argument('name of the campaign', nameOf('campaign')) },
  options: storeOptions,
  examples: [
    { line: 'botctl campaigns delete spring', does: 'Delete a campaign after you type its name' },
    { line: 'botctl campaigns delete spring --confirm spring', does: 'Delete it in a script' },
  ],
  needs: 'identity',
  effect: 'destroys',
  output: {
    kind: 'record',
    fields: [{ name: 'name' }, { name: 'rows', kind: 'number' }, { name: 'deleted', kind: 'flag' }],
  },
  prepare: campaignOverview,
  async confirm(_session, { campaign: name }, { counts }) {
    return {
      level: 'name',
      statement: `This deletes campaign ${inSentence(name)} and its ${pluralize(counts.rows, 'row')}. This can't be undone.`,
      names: [name],
    };
  },
  async run(session, { campaign: name, database }, { campaign, counts }) {
    await (await storeOf(session, { database })).delete(campaign);
    session.terminal.done(`Deleted campaign ${inSentence(name)}.`);
    return { name, rows: counts.rows, deleted: true };
  },
});
