import type { CampaignRow } from '../../campaigns/campaign.ts';
import { defineCommand } from '../../cli/command.ts';
import { argument, argumentList, flag, nameOf } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { inputFailure, usageFailure } from '../../lib/errors.ts';
import { integer } from '../../lib/parse.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { campaignOverview, storeOf } from './stored.ts';

export const settle = defineCommand({
  name: 'settle',
  summary: 'Record whether unknown messages were sent',
  description:
    'If a response was lost, only the phone that sends shows whether the message went out. Until you record that, the row is ' +
    'unknown and is not sent again. The next run sends the rows of --not-sent.',
  arguments: {
    campaign: argument('name of the campaign', nameOf('campaign')),
    rows: argumentList('numbers of the rows, as in campaigns results', integer({ min: 1 })),
  },
  options: {
    accepted: flag('--accepted', 'the messages are on the phone'),
    notSent: flag('--not-sent', 'the messages are not on the phone; send them'),
    ...storeOptions,
  },
  examples: [
    { line: 'botctl campaigns settle summer 1 --accepted', does: 'Record that a message was sent' },
    { line: 'botctl campaigns settle spring 4 7 --not-sent', does: 'Record that two were not sent' },
  ],
  needs: 'identity',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [
      { name: 'name' },
      { name: 'rows' },
      { name: 'state' },
      { name: 'unknown', heading: 'Still unknown', kind: 'number' },
    ],
  },
  checkInput({ accepted, notSent }) {
    if (accepted !== notSent) return;
    const problem = accepted
      ? 'Give --accepted or --not-sent, not both.'
      : '--accepted or --not-sent is missing.';
    throw usageFailure([problem]);
  },
  async prepare(session, input) {
    return { store: await storeOf(session, input), ...(await campaignOverview(session, input)) };
  },
  async run(session, { campaign: name, rows: typed, accepted }, { store, campaign, counts, mark }) {
    const numbers = [...new Set(typed)];
    const check = async (): Promise<readonly CampaignRow[]> => {
      const rows = await store.rowsNumbered(campaign, numbers);
      checkUnknown({ name, numbers, count: counts.rows, accepted }, rows);
      return rows;
    };
    const rows = await check();
    const at = new Date(session.clock.now()).toISOString();
    const event = accepted ? 'settle_accepted' : 'settle_not_sent';
    const changes = numbers.map((row) => ({ row, event, at }) as const);
    const settled = await store.record(campaign, changes);
    if (settled.length < numbers.length) await check();
    // Planned rows of a cancelled campaign are never sent, and shown as skipped.
    const isCancelled = mark?.state === 'cancelled';
    const state = accepted ? 'accepted' : isCancelled ? 'skipped' : 'planned';
    const lost = counts.unknown - rows.filter((row) => row.state === 'unknown').length;
    const became = accepted ? 'as accepted' : isCancelled ? 'as not sent' : 'to be sent by the next run';
    session.terminal.done(`Marked ${pluralize(settled.length, 'row')} of ${inSentence(name)} ${became}.`);
    return { name, rows: numbers, state, unknown: lost };
  },
});

/** The outcome that the user sets, and the rows. */
interface SettleInput {
  readonly name: string;
  readonly numbers: readonly number[];
  /** The number of rows of the campaign. */
  readonly count: number;
  readonly accepted: boolean;
}

/**
 * A planned row can be settled as sent too: after a backup is restored, the database lacks the record that it was sent.
 * @throws Failure `invalidInput` with each row that can't be settled; then no row is settled
 */
function checkUnknown(
  { name, numbers, count, accepted }: SettleInput,
  rows: readonly Pick<CampaignRow, 'row' | 'state'>[],
): void {
  const states = new Map(rows.map(({ row, state }) => [row, state]));
  const problems = numbers.flatMap((number) => {
    const state = states.get(number);
    if (state === undefined)
      return [`Row ${number} does not exist: ${inSentence(name)} has ${pluralize(count, 'row')}.`];
    return state === 'unknown' || (accepted && state === 'planned')
      ? []
      : [`Row ${number} is ${state}, not unknown.`];
  });
  if (problems.length === 0) return;
  throw inputFailure(
    problems,
    remark`List the unknown rows: ${command('campaigns', 'results', name, '--state', 'unknown')}`,
  );
}
