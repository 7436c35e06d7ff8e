import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import { counted } from '../../lib/text/numbers.ts';
import { markFields } from './fields.ts';
import { campaignOverview, storeOf } from './stored.ts';

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
  needs: 'session',
  effect: 'changes',
  output: { kind: 'record', fields: markFields },
  prepare: campaignOverview,
  async confirm(_session, { campaign: name }, { counts, mark }) {
    if (mark?.state === 'cancelled') return undefined;
    const left = counted(counts.planned, 'row');
    return {
      level: 'yes',
      statement: `This cancels campaign ${inSentence(name)} for good: ${left} will not be sent.`,
    };
  },
  async run(session, { campaign: name, database }, { campaign, mark }) {
    const { terminal, clock } = session;
    const isCancelled = mark?.state === 'cancelled';
    const at = isCancelled ? mark.at : new Date(clock.now()).toISOString();
    if (isCancelled) terminal.note(`Campaign ${inSentence(name)} was cancelled already.`);
    else {
      await (await storeOf(session, { database })).mark(campaign, { state: 'cancelled', at });
      terminal.done(`Cancelled campaign ${inSentence(name)}.`);
    }
    return { name, state: 'cancelled', at, left: 0 };
  },
});
