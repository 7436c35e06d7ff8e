import type { Campaign, CampaignRow } from '../../campaigns/campaign.ts';
import type { RunContext } from '../../campaigns/run/device-sender.ts';
import type { CampaignStore } from '../../campaigns/store/campaign-store.ts';
import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf, option, phone, requiredOption } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { inputFailure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { inSentence, oneLine } from '../../lib/text/sentence.ts';
import { shortDuration } from '../../lib/time.ts';
import { deviceFor } from '../../resources/devices/device.ts';
import { originOf } from '../../settings/base-url.ts';
import { longestAnswerMs } from './options.ts';
import { storeOf } from './stored.ts';

export const test = defineCommand({
  name: 'test',
  summary: 'Send a test message to your own number',
  description:
    'Sends the message of the first planned row to the number that you give, and leaves the row unchanged. The message counts ' +
    'for the pace of the device, and waits for it as a run does. If it would have to wait for a window or a new day, the ' +
    'command ends with exit code 9. You can test a paused campaign; it stays paused.',
  arguments: { campaign: argument('name of the campaign', nameOf('campaign')) },
  options: {
    to: requiredOption('--to <number>', 'phone number of the receiver, with country code', phone),
    device: option(
      '--device <device>',
      'device of the campaign, by name or id (default: that of the row)',
      nameOf('device'),
    ),
    ...storeOptions,
  },
  examples: [
    {
      line: 'botctl campaigns test spring --to "+55 11 97777-1234" --yes',
      does: 'Send the first message to yourself, without a question',
    },
    {
      line: 'botctl campaigns test spring --to +5511977771234 --device Reception',
      does: 'Send it through a device of the campaign',
    },
  ],
  needs: 'api',
  effect: 'sends',
  output: {
    kind: 'record',
    fields: [
      { name: 'name' },
      { name: 'row', kind: 'number' },
      { name: 'device' },
      { name: 'to', kind: 'phone' },
      { name: 'message' },
    ],
  },
  async prepare(session, { campaign: name, device: its, to, database }) {
    const { groupByDevice, openCampaigns } = await import('../../campaigns/run/run-campaigns.ts');
    const store = await storeOf(session, { database });
    const origin = originOf(session.api.baseUrl);
    const opened = await openCampaigns(store, origin, [name], { takesOver: false });
    const frozen = opened[0]?.campaign;
    if (!frozen) throw new TypeError('no campaign was opened');
    const row = await firstRow(store, frozen);
    const id =
      its === undefined
        ? frozen.devices[row.device ?? 0]?.id
        : (frozenDevice(frozen, its) ?? (await deviceFor(session, its)).id);
    const queue = (await groupByDevice(session, opened)).find(({ device }) => device.id === id);
    const [entry] = queue?.entries ?? [];
    if (!queue || !entry) {
      throw inputFailure(
        [`Campaign ${inSentence(name)} has no device ${inSentence(its ?? '')}.`],
        remark`See its devices: ${command('campaigns', 'get', name)}`,
      );
    }
    const optOut = await store.optOuts(session.api.baseUrl).find(to);
    return { store, device: queue.device, entry, row, isOptedOut: optOut !== undefined };
  },
  async confirm(_session, { campaign: name, to }, { device, row, isOptedOut }) {
    const says = row.text === undefined ? '.' : `: "${oneLine(row.text, mostShown)}"`;
    const sends = `This sends the message of row ${row.row} of ${inSentence(name)} to +${to} through ${device.label}${says}`;
    if (!isOptedOut) return { level: 'yes', statement: sends, question: 'Send?' };
    const statement = `+${to} has opted out. ${sends}`;
    return { level: 'yes', statement, question: 'Send anyway?' };
  },
  async run(session, { campaign: name, to }, { store, device, entry, row }) {
    const { sendTest } = await import('../../campaigns/run/send-test.ts');
    const { identity, terminal } = session;
    const { requestTimeout = longestAnswerMs } = session.options;
    const { text } = row;
    const openOnce = (onSend: () => void) =>
      session.openApi(identity, { retries: 0, graceMs: requestTimeout, onSend });
    let reported: string | undefined;
    const onWait: RunContext['onWait'] = (sender, wait) => {
      if (!wait || wait.because === reported) return;
      reported = wait.because;
      terminal.note(`${device.label} waits ${shortDuration(wait.until - sender.now)}: ${wait.because}`);
    };
    await sendTest(
      { session, store, openOnce, requestTimeout, onWait },
      { device, entry, message: { to, text } },
    );
    terminal.done(`Accepted for +${to}. The API does not report delivery.`);
    return { name, row: row.row, device: device.label, to: `+${to}`, message: text ?? null };
  },
});

/** The maximum number of characters of the message in a question. */
const mostShown = 160;

/**
 * Returns the row whose message is sent: the first planned one, or else the first one.
 * @throws Failure `invalidInput` if there is none, and as `CampaignStore.firstMessage`
 */
async function firstRow(store: CampaignStore, campaign: Campaign): Promise<CampaignRow> {
  const row = await store.firstMessage(campaign);
  if (row) return row;
  const { name } = campaign;
  throw inputFailure(
    [`Campaign ${inSentence(name)} has no row with a message.`],
    remark`See its rows: ${command('campaigns', 'results', name)}`,
  );
}

/** Returns the id of the only device of a campaign with a name. The device book of another host may not have it. */
function frozenDevice({ devices }: Campaign, name: string): string | undefined {
  const [one, ...others] = devices.filter((device) => device.name === name);
  return others.length === 0 ? one?.id : undefined;
}
