import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { markFields } from './fields.ts';
import { campaignOverview, markedCampaign, storeOf } from './stored.ts';

export const pause = defineCommand({
  name: 'pause',
  summary: 'Pause a campaign: whatever sends it ends before its next message',
  description:
    'The message that is on its way is not held back. What is left stays as it is until somebody says that it goes on: ' +
    'campaigns run NAME --resume, on whichever host.',
  arguments: { campaign: argument('the campaign, by its name', nameOf('campaign')) },
  options: storeOptions,
  examples: [
    { line: 'botctl campaigns pause spring', does: 'Send no more of a campaign for now' },
    { line: 'botctl campaigns pause spring -o json', does: 'The same, with how many rows are left' },
  ],
  needs: 'identity',
  effect: 'changes',
  output: { kind: 'record', fields: markFields },
  prepare: markedCampaign,
  async run(session, input, { campaign, mark }) {
    const { terminal, clock } = session;
    const { campaign: name } = input;
    const isPaused = mark?.state === 'paused';
    const at = isPaused ? mark.at : new Date(clock.now()).toISOString();
    // Also where it was: a run may have lifted that meanwhile. It is told before the rows are counted, which may take long.
    await (await storeOf(session, input)).mark(campaign, { state: 'paused', at });
    if (isPaused) terminal.note(`Campaign ${inSentence(name)} was paused already.`);
    else terminal.done(`Paused campaign ${inSentence(name)}.`);
    terminal.note(remark`What lets it go on: ${command('campaigns', 'run', name, '--resume')}`);
    const { counts } = await campaignOverview(session, input);
    return { name, state: 'paused', at, left: counts.planned };
  },
});
