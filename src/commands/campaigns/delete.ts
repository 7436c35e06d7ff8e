import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { counted } from '../../lib/text/numbers.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { campaignOverview, storeOf } from './stored.ts';

export const deleteCampaign = defineCommand({
  name: 'delete',
  summary: 'Delete a campaign with its numbers, its texts and what came of them',
  arguments: { campaign: argument('the campaign, by its name', nameOf('campaign')) },
  options: storeOptions,
  examples: [
    { line: 'botctl campaigns delete spring', does: 'Delete a campaign after its name was typed' },
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
      statement: `This deletes campaign ${inSentence(name)} with ${counted(counts.rows, 'row')}. They can't be read again.`,
      names: [name],
    };
  },
  async run(session, { campaign: name, database }, { campaign, counts }) {
    await (await storeOf(session, { database })).delete(campaign);
    session.terminal.done(`Deleted campaign ${inSentence(name)}.`);
    return { name, rows: counts.rows, deleted: true };
  },
});
