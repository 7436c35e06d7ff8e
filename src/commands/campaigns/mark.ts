import type { Mark } from '../../campaigns/campaign.ts';
import { type Command, defineCommand, type Example } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, type RemarkText, remark } from '../../lib/text/remark.ts';
import { capitalised, inSentence } from '../../lib/text/sentence.ts';
import { markFields } from './fields.ts';
import { campaignOverview, markedCampaign, storeOf } from './stored.ts';

/** A command that pauses or cancels a campaign. */
interface Marking {
  readonly name: string;
  readonly state: Mark['state'];
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly Example[];
  /** The end of the question before it, if a question is asked. */
  readonly asks?: string;
  /** The same if an assistant runs the command; `asks` if not set. */
  readonly assistantAsks?: string;
  /** Returns the message afterwards. @param cancelled rows that will not be sent */
  next(campaign: string, cancelled: number): RemarkText;
}

function markCommand({ asks, assistantAsks, next, state, ...declared }: Marking): Command {
  return defineCommand({
    ...declared,
    arguments: { campaign: argument('name of the campaign', nameOf('campaign')) },
    options: storeOptions,
    needs: 'identity',
    effect: 'changes',
    output: { kind: 'record', fields: markFields },
    prepare: markedCampaign,
    // The remaining rows are counted afterwards, so that stopping does not wait for the count.
    async confirm({ io }, { campaign: name }, { mark }) {
      const end = io.assistant ? (assistantAsks ?? asks) : asks;
      if (end === undefined || mark?.state === state) return undefined;
      return { level: 'yes', statement: `This ${declared.name}s campaign ${inSentence(name)} ${end}` };
    },
    async run(session, input, { campaign, mark }) {
      const { terminal, clock } = session;
      const { campaign: name } = input;
      const isMarked = mark?.state === state;
      const at = isMarked ? mark.at : new Date(clock.now()).toISOString();
      // The mark is also set if the campaign was paused before: a run may have resumed it meanwhile. Cancelling is
      // final.
      if (mark?.state !== 'cancelled' || !isMarked)
        await (await storeOf(session, input)).mark(campaign, { state, at });
      if (isMarked) terminal.note(`Campaign ${inSentence(name)} is already ${state}.`);
      else terminal.done(`${capitalised(state)} campaign ${inSentence(name)}.`);
      const { counts } = await campaignOverview(session, input);
      terminal.note(next(name, counts.cancelled));
      return { name, state, at, left: counts.planned };
    },
  });
}

export const pause = markCommand({
  name: 'pause',
  state: 'paused',
  summary: 'Pause a campaign',
  description:
    'Every process that sends it stops before its next message. A message in flight is not stopped. To resume it, on any ' +
    'host: campaigns run NAME --resume.',
  examples: [
    { line: 'botctl campaigns pause spring', does: 'Pause a campaign' },
    { line: 'botctl campaigns pause spring -o json', does: 'Pause it and print how many rows are left' },
  ],
  assistantAsks: 'on every host.',
  next: (campaign) => remark`Resume it with: ${command('campaigns', 'run', campaign, '--resume')}`,
});

export const cancel = markCommand({
  name: 'cancel',
  state: 'cancelled',
  summary: 'Cancel a campaign permanently',
  description:
    'Every process that sends it stops before its next message. A message in flight is not stopped. Rows that are not sent ' +
    'yet are skipped, and all rows stay readable. To stop it for a while: botctl campaigns pause.',
  examples: [
    { line: 'botctl campaigns cancel spring', does: 'Cancel a campaign' },
    { line: 'botctl campaigns cancel spring --yes', does: 'Cancel it in a script' },
  ],
  asks: 'permanently. Its remaining messages will not be sent.',
  next: (_campaign, cancelled) => `${pluralize(cancelled, 'row')} will not be sent.`,
});
