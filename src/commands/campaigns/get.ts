import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { campaignFields, campaignRow } from './fields.ts';
import { campaignSummary } from './stored.ts';

export const get = defineCommand({
  name: 'get',
  summary: 'Show a campaign',
  arguments: { campaign: argument('name of the campaign', nameOf('campaign')) },
  options: storeOptions,
  examples: [
    { line: 'botctl campaigns get spring', does: 'Show what a campaign would send' },
    { line: 'botctl campaigns get spring -o json', does: 'Include its template and options' },
  ],
  needs: 'identity',
  effect: 'reads',
  output: { kind: 'record', fields: campaignFields },
  async run(session, input) {
    const { campaign, mark, alike, ...summary } = await campaignSummary(session, input);
    return campaignRow(campaign, summary, mark, alike);
  },
});
