import type { Tally } from '../../campaigns/row-state.ts';
import type { SendEnd } from '../../campaigns/run/device-sender.ts';
import type { DeviceResult, RetriedRows } from '../../campaigns/run/run-campaigns.ts';
import type { CampaignStore } from '../../campaigns/store/campaign-store.ts';
import type { RunningCampaign } from '../../campaigns/store/running-campaign.ts';
import { untilWords } from '../../campaigns/zones.ts';
import { defineCommand, withFailure } from '../../cli/command.ts';
import { willAsk } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { argumentList, choice, flag, nameOf, option, phone } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { groupedNumber, pluralize } from '../../lib/text/numbers.ts';
import {
  command,
  joinRemarks,
  placeholder,
  type RemarkText,
  remark,
  remarkText,
} from '../../lib/text/remark.ts';
import { inSentence, oneLine } from '../../lib/text/sentence.ts';
import { durationInWords, isoTime } from '../../lib/time.ts';
import type { Row } from '../../output/fields.ts';
import { originOf } from '../../settings/base-url.ts';
import { requireCampaignDatabase } from '../../settings/database-name.ts';
import { longestAnswerMs } from './options.ts';
import { RunProgress, totalOf } from './run-progress.ts';
import { storeOf } from './stored.ts';

export const run = defineCommand({
  name: 'run',
  summary: 'Send the planned messages of campaigns',
  description:
    'Sends each message at most once. Devices send in parallel. Each sends one message at a time, at the pace of its ' +
    'campaigns. The command ends when everything is sent. If messages have to wait for a window, for the next day or ' +
    'until a device can send again, it ends with exit code 9, unless you add --wait. A message whose response was ' +
    'lost is unknown: it is resent only with --retry-unknown, or if you record with "campaigns settle" that it was ' +
    'not sent. Ctrl-C lets the message in flight finish; run the same command again to resume. See botctl help ' +
    'campaigns.',
  arguments: { campaigns: argumentList('names of the campaigns', nameOf('campaign')) },
  options: {
    wait: flag('--wait', 'wait for a window, the next day or a device, instead of ending'),
    retry: option('--retry <state>', 'resend rejected messages; there is no other state', choice('rejected')),
    retryUnknown: flag(
      '--retry-unknown',
      'resend messages that may have been sent, so some may arrive twice; needs --confirm',
    ),
    resume: flag('--resume', 'resume paused campaigns'),
    acceptNumber: option(
      '--accept-number <number>',
      'new number of a device; needed if its number has changed',
      phone,
    ),
    acceptFailover: flag(
      '--accept-failover',
      'send although the database had a failover, or was restored to a point in time',
    ),
    ...storeOptions,
  },
  examples: [
    { line: 'botctl campaigns run spring --yes', does: 'Send a campaign without a question' },
    { line: 'botctl campaigns run spring winter --wait', does: 'Send two campaigns over several days' },
    { line: 'botctl campaigns run spring --resume --yes', does: 'Resume a paused campaign' },
    {
      line: 'botctl campaigns run spring --retry-unknown --confirm spring',
      does: 'Also resend messages that may have been sent',
    },
  ],
  needs: 'api',
  effect: 'sends',
  allow: ['resend'],
  output: {
    kind: 'list',
    fields: [
      { name: 'device', importance: 9 },
      { name: 'accepted_now', heading: 'Accepted now', kind: 'number', importance: 6 },
      { name: 'accepted', heading: 'Total accepted', kind: 'number', importance: 8 },
      { name: 'rejected', kind: 'number', importance: 7 },
      { name: 'unknown', kind: 'number', importance: 7 },
      { name: 'skipped', kind: 'number', importance: 3 },
      { name: 'left', kind: 'number', importance: 8 },
      { name: 'ended', heading: 'Sending', importance: 6 },
      { name: 'because', importance: 4 },
      { name: 'next_at', heading: 'Next', kind: 'time', importance: 5 },
    ],
    empty: { none: 'Nothing to send.' },
  },
  checkInput({ campaigns = [], retryUnknown }) {
    if (retryUnknown && new Set(campaigns).size > 1)
      throw usageFailure(['--retry-unknown takes one campaign at a time.']);
  },
  async prepare(session, input) {
    const { campaigns: names, acceptFailover, retry, retryUnknown, resume, wait, database } = input;
    if (acceptFailover) requireCampaignDatabase(session, database, '--accept-failover');
    const { openCampaigns } = await import('../../campaigns/run/run-campaigns.ts');
    const { retryUntilReachable } = await import('../../campaigns/run/retry-until-reachable.ts');
    const { clock, signal, terminal } = session;
    const origin = originOf(session.api.baseUrl);
    const { store, campaigns } = await retryUntilReachable(
      async () => {
        const store = await storeOf(session, { database });
        return { store, campaigns: await openCampaigns(store, origin, names, { takesOver: acceptFailover }) };
      },
      { clock, signal, waits: wait, onAway: (text) => terminal.note(text) },
    );
    const paused = campaigns.filter(({ mark, obstacle }) => mark && !obstacle);
    // A question mentions the pause; --yes and --confirm were typed without seeing it.
    const isTold = willAsk(session) && !retryUnknown;
    const sent = campaigns.filter((one) => resume || isTold || !paused.includes(one));
    const states = [...(retry ? [retry] : []), ...(retryUnknown ? (['unknown', 'sending'] as const) : [])];
    if (sent.length === 0 && (plannedIn(paused) > 0 || states.length > 0)) {
      const words = [
        ...(retry ? ['--retry', retry] : []),
        ...(retryUnknown ? ['--retry-unknown'] : []),
        ...(wait ? ['--wait'] : []),
      ];
      throw pausedFailure(paused, words);
    }
    const retried = new Map<RunningCampaign, RetriedRows>();
    // Only the confirmed rows are sent again, and none that were added meanwhile.
    for (const one of sent) retried.set(one, await one.rowsIn(states));
    const chosen = [...retried.values()].flatMap((found) => [...found.values()]);
    const count = plannedIn(sent) + chosen.length;
    const older = count > 0 ? await findOlder(session, store, sent) : new Map<RunningCampaign, string>();
    const isAllowed = acceptFailover || session.allows('resend');
    if (older.size > 0 && !isAllowed && !isTold) throw olderFailure(older, names);
    const told = count > 0 ? paused.filter((one) => sent.includes(one)) : [];
    const resumed = new Set(resume ? campaigns : told);
    return { store, campaigns, sent, resumed, retried, chosen, count, takesOver: acceptFailover, older };
  },
  async confirm(session, { acceptFailover }, { store, sent, resumed, chosen, count, older }) {
    if (count === 0) return undefined;
    const again = chosen.filter(({ state }) => state !== 'rejected').length;
    const names = sent.map(({ campaign }) => campaign.name);
    const isPaused = [...resumed]
      .filter(({ mark, obstacle }) => mark && !obstacle)
      .map(({ campaign, mark }) => ` ${inSentence(campaign.name)} was paused at ${mark?.at} and will resume.`)
      .join('');
    const about = willAsk(session) ? await aboutMessages(store, sent) : '';
    const sends = `This sends ${pluralize(count, 'message')} of ${names.map(inSentence).join(', ')}${about}.${isPaused}${[...older.values()].map((says) => ` ${says}`).join('')}`;
    if (again === 0) {
      const allow = older.size > 0 && !acceptFailover ? ({ allow: 'resend' } as const) : {};
      return { level: 'yes', statement: sends, question: 'Send?', ...allow };
    }
    const statement = `${sends} ${groupedNumber(again)} of them may have been sent before and could arrive twice.`;
    return { level: 'name', statement, names };
  },
  async run(session, { wait, acceptNumber }, { store, campaigns, resumed, retried, takesOver, older }) {
    const { prepareRun, runCampaigns } = await import('../../campaigns/run/run-campaigns.ts');
    const { identity, terminal, clock } = session;
    const { requestTimeout = longestAnswerMs } = session.options;
    for (const { campaign, mark, obstacle } of resumed)
      if (mark && !obstacle)
        terminal.note(`Resuming campaign ${inSentence(campaign.name)}, paused at ${mark.at}.`);
    const context = { session, store, requestTimeout, waits: wait };
    await prepareRun(context, campaigns, { takesOver, resumed, retried, acceptedNumber: acceptNumber });
    const { forgetLastSent } = await import('../../campaigns/last-sent.ts');
    for (const { campaign } of older.keys()) forgetLastSent(session.settings.paths.cache, campaign);
    for (const campaign of campaigns) await campaign.refresh();
    const progress = new RunProgress(session);
    const settled = settledRows(campaigns);
    // Each message gets its full time, and none is retried automatically.
    const openOnce = (onSend: () => void) =>
      session.openApi(identity, { retries: 0, graceMs: requestTimeout, onSend });
    let ended: readonly DeviceResult[];
    try {
      ended = await runCampaigns(
        { ...context, openOnce, onWait: (sender, one) => progress.onWait(sender, one) },
        campaigns,
        (senders) => progress.begin(senders),
      );
    } finally {
      progress.end();
    }
    for (const campaign of campaigns) await campaign.refresh().catch(ignoreUnreachable);
    const nothingSent = settledRows(campaigns) === settled;
    const failure = failureOf(ended, campaigns, { nothingSent, wait, now: clock.now() });
    const own = ended.find(({ end }) => 'failure' in end && end.failure === failure);
    if (failure && own) throw failure;
    const { accepted, skipped } = totalOf(ended.map(({ sender }) => sender));
    const now = ended.reduce((sum, { sender }) => sum + sender.accepted, 0);
    const before = accepted > now ? `, ${groupedNumber(accepted - now)} before` : '';
    if (!failure)
      terminal.done(`${pluralize(now, 'message')} accepted${before}, ${pluralize(skipped, 'row')} skipped.`);
    return withFailure(ended.map(deviceRow), failure);
  },
});

/**
 * Returns the failure for paused campaigns that were not resumed.
 * @param words other options of the command
 */
function pausedFailure(paused: readonly RunningCampaign[], words: readonly string[]): Failure {
  const told = paused.map(
    ({ campaign, mark }) => `Campaign ${inSentence(campaign.name)} was paused at ${mark?.at}.`,
  );
  const names = paused.map(({ campaign }) => campaign.name);
  return new Failure('notReached', `${told.join(' ')} Nothing was sent.`, {
    hint: remark`Resume ${names.length > 1 ? 'them' : 'it'} with: ${command('campaigns', 'run', ...names, '--resume', ...words)}`,
  });
}

/** Returns the campaigns whose data is older than the messages of this machine, with a sentence about it. */
async function findOlder(
  { settings }: Pick<Session, 'settings'>,
  store: CampaignStore,
  campaigns: readonly RunningCampaign[],
): Promise<ReadonlyMap<RunningCampaign, string>> {
  const { describeOlderData } = await import('../../campaigns/last-sent.ts');
  const older = new Map<RunningCampaign, string>();
  for (const one of campaigns) {
    const says = await describeOlderData(settings.paths.cache, store, one);
    if (says !== undefined) older.set(one, says);
  }
  return older;
}

/** Returns the failure for campaigns that would send messages again that a restored backup does not record. */
function olderFailure(older: ReadonlyMap<RunningCampaign, string>, names: readonly string[]): Failure {
  const [first = ''] = [...older.keys()].map(({ campaign }) => campaign.name);
  return new Failure('notConfirmed', `${[...older.values()].join(' ')} Nothing was sent.`, {
    hint: remark`See which rows would be sent: ${command('campaigns', 'results', first, '--state', 'planned')}\nMark the rows that were sent already: ${command('campaigns', 'settle', first, placeholder('ROW...'), '--accepted')}\nSend the rest: ${command('campaigns', 'run', ...names, '--allow', 'resend')}`,
  });
}

/** Ignores that the database is away: the result then has the last known counts. */
function ignoreUnreachable(error: unknown): void {
  if (!(error instanceof Failure) || error.kind !== 'network') throw error;
}

function talliesOf(campaigns: readonly RunningCampaign[]): readonly Tally[] {
  return campaigns.flatMap((one) => one.campaign.devices.map((_, device) => one.tally(device)));
}

function plannedIn(campaigns: readonly RunningCampaign[]): number {
  return talliesOf(campaigns).reduce((sum, { planned }) => sum + planned, 0);
}

function settledRows(campaigns: readonly RunningCampaign[]): number {
  const settled = ({ accepted, rejected, unknown, skipped }: Tally): number =>
    accepted + rejected + unknown + skipped;
  return talliesOf(campaigns).reduce((sum, tally) => sum + settled(tally), 0);
}

function deviceRow({ sender, end }: DeviceResult): Row {
  const { accepted, rejected, unknown, skipped, planned, sending } = totalOf([sender]);
  return {
    device: sender.device.label,
    accepted_now: sender.accepted,
    ...{ accepted, rejected, unknown, skipped, left: planned + sending },
    ended: end.kind,
    because: 'because' in end ? end.because : null,
    next_at: end.kind === 'closed' ? isoTime(end.until) : null,
  };
}

/** Returns the most severe failure of a run, or undefined if no row is left, rejected or unknown. */
function failureOf(
  ended: readonly DeviceResult[],
  campaigns: readonly RunningCampaign[],
  { nothingSent, wait, now }: { readonly nothingSent: boolean; readonly wait: boolean; readonly now: number },
): Failure | undefined {
  const names = campaigns.map(({ campaign }) => campaign.name);
  const [first = ''] = names;
  const { accepted, unknown, rejected, planned } = totalOf(ended.map(({ sender }) => sender));
  const ends = ended.map(({ end }) => end);
  const stopped = ends.find((end) => end.kind === 'stopped');
  const isPaused = campaigns.some(({ mark, obstacle }) => mark?.state === 'paused' && !obstacle);
  const line = ['campaigns', 'run', ...names, ...(isPaused ? ['--resume'] : []), ...(wait ? ['--wait'] : [])];
  const again = command(...line);
  const whyLeft = planned > 0 ? endSentences(ended, now).map((said) => ` ${said}`) : [];
  const cures = planned > 0 ? curesOf(ends) : [];
  if (stopped) {
    const { kind, message } = stopped.failure;
    return new Failure(kind, `${message} ${pluralize(planned, 'message')} left.`, {
      hint: remark`Resume with: ${again}`,
    });
  }
  if (unknown > 0) {
    return new Failure(
      'outcomeUnknown',
      [`${pluralize(unknown, 'message')} may have been sent.`, ...whyLeft].join(''),
      {
        hint: joinRemarks([
          ...cures,
          remark`List them, and look for them on the phone: ${command('campaigns', 'results', first, '--state', 'unknown')}\nThen record what you found: ${command('campaigns', 'settle', first, placeholder('ROW...'), '--accepted')}, or --not-sent.`,
        ]),
      },
    );
  }
  if (rejected > 0) {
    const text = `${pluralize(rejected, 'message')} rejected, ${groupedNumber(accepted)} accepted, ${groupedNumber(planned)} left.`;
    return new Failure('partlyDone', [text, ...whyLeft].join(''), {
      hint: joinRemarks([
        ...cures,
        remark`See why: ${command('campaigns', 'results', first, '--state', 'rejected')}\nSend them again: ${command(...line, '--retry', 'rejected')}`,
      ]),
    });
  }
  const failed = ends.find((end) => 'failure' in end && end.failure !== undefined);
  if (nothingSent && failed && 'failure' in failed) return failed.failure;
  if (planned === 0) return undefined;
  const limited = ends.find((end) => end.kind === 'limited');
  const text = [`${pluralize(planned, 'message')} left.`, ...whyLeft].join('');
  const hint = joinRemarks([...cures, nextSteps(ends, now, again)]);
  return new Failure(limited ? 'rateLimited' : 'notReached', text, { hint });
}

/** Returns why devices ended, with one sentence for all devices with the same reason. */
function endSentences(ended: readonly DeviceResult[], now: number): readonly string[] {
  const labels = new Map<string, string[]>();
  for (const { sender, end } of ended) {
    const because = 'because' in end ? end.because : undefined;
    if (because === undefined) continue;
    const said =
      end.kind === 'closed' ? ` until ${untilWords(end.until, now, end.zone)}: ${because}` : `: ${because}`;
    labels.set(said, [...(labels.get(said) ?? []), sender.device.label]);
  }
  return [...labels].map(([said, names]) => {
    const isWait = said.startsWith(' until ');
    return `${names.join(', ')}${isWait ? (names.length > 1 ? ' wait' : ' waits') : ''}${said}`;
  });
}

/** Returns the hints for stuck devices without repetitions. */
function curesOf(ends: readonly SendEnd[]): readonly RemarkText[] {
  const cures = new Map<string, RemarkText>();
  for (const end of ends) {
    if (end.kind === 'stuck' && end.hint !== undefined) cures.set(remarkText(end.hint), end.hint);
  }
  return [...cures.values()];
}

function nextSteps(ends: readonly SendEnd[], now: number, again: ReturnType<typeof command>): RemarkText {
  const [first] = ends
    .flatMap((end) => (end.kind === 'closed' ? [end] : []))
    .toSorted((one, other) => one.until - other.until);
  if (first)
    return remark`Resume at ${untilWords(first.until, now, first.zone)}, or wait with --wait: ${again}`;
  return ends.some(({ kind }) => kind === 'stuck' || kind === 'limited')
    ? remark`Then resume with: ${again}`
    : remark`Resume with: ${again}`;
}

/** The maximum width of the first message in a question, in columns. */
const longestShown = 100;

/**
 * Describes the planned messages of campaigns for a question: their devices, the time they take, and the first message.
 */
async function aboutMessages(store: CampaignStore, sent: readonly RunningCampaign[]): Promise<string> {
  const found = await Promise.all(
    sent.map(({ campaign: { origin, name } }) => store.summarise(origin, name)),
  );
  const summaries = found.flatMap((one) => one ?? []);
  const devices = new Set(
    summaries.flatMap(({ campaign }) => campaign.devices.map(({ name, id }) => inSentence(name ?? id))),
  );
  const seconds = summaries.reduce(
    (sum, { campaign, messages }) => sum + messages.secondsNeeded(campaign),
    0,
  );
  const first = summaries.flatMap(({ messages }) => messages.first ?? [])[0];
  const text = first?.text === undefined ? '' : `: "${oneLine(first.text, longestShown)}"`;
  return [
    ` through ${[...devices].join(', ')}`,
    seconds > 0 && `, in about ${durationInWords(seconds)}`,
    first && `. The first goes to +${first.to}${text}`,
  ]
    .filter(Boolean)
    .join('');
}
