import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { counted } from '../../lib/text/numbers.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { markFields } from './fields.ts';
import { campaignOverview, markedCampaign, storeOf } from './stored.ts';

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'Cancel a campaign for good: what is left of it is never sent',
  description:
    'Whatever sends it ends before its next message; the one that is on its way is not held back. Its rows stay readable, ' +
    'and those that were left are skipped. For a while only: botctl campaigns pause.',
  arguments: { campaign: argument('the campaign, by its name', nameOf('campaign')) },
  options: storeOptions,
  examples: [
    { line: 'botctl campaigns cancel spring', does: 'Cancel a campaign after a question' },
    { line: 'botctl campaigns cancel spring --yes', does: 'Cancel it in a script' },
  ],
  needs: 'identity',
  effect: 'changes',
  output: { kind: 'record', fields: markFields },
  prepare: markedCampaign,
  async confirm(_session, { campaign: name }, { mark }) {
    if (mark?.state === 'cancelled') return undefined;
    // How much is left is told afterwards: who stops messages doesn't wait until rows are counted.
    const statement = `This cancels campaign ${inSentence(name)} for good: what is left of it will not be sent.`;
    return { level: 'yes', statement };
  },
  async run(session, input, { campaign, mark }) {
    const { terminal, clock } = session;
    const { campaign: name } = input;
    const isCancelled = mark?.state === 'cancelled';
    const at = isCancelled ? mark.at : new Date(clock.now()).toISOString();
    if (isCancelled) terminal.note(`Campaign ${inSentence(name)} was cancelled already.`);
    else {
      await (await storeOf(session, input)).mark(campaign, { state: 'cancelled', at });
      terminal.done(`Cancelled campaign ${inSentence(name)}.`);
      const { counts } = await campaignOverview(session, input);
      terminal.note(`${counted(counts.cancelled, 'row')} will not be sent.`);
    }
    return { name, state: 'cancelled', at, left: 0 };
  },
});
