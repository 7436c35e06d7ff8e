import { Failure } from '../../lib/errors.ts';
import { type Device, deviceOf, readAndNote } from '../../resources/devices/device.ts';
import { compareNumbers } from '../../resources/devices/pairing/expected-number.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { RowStatus } from '../campaign.ts';
import { cancelledFailure } from '../campaign-failures.ts';
import type { QueueEntry } from '../claim.ts';
import type { CampaignStore } from '../store/campaign-store.ts';
import type { RunningCampaign } from '../store/running-campaign.ts';
import { DeviceSender, type RunContext, type SendEnd } from './device-sender.ts';

/** What the user allows a run to do besides sending planned rows. */
export interface RunChoices {
  /** Whether to send campaigns that may not be sent from here without the user's consent. */
  readonly takesOver: boolean;
  /** The paused campaigns to resume: the user saw that they are paused, or asked for it. */
  readonly resumed: ReadonlySet<RunningCampaign>;
  /** The rows to send again, by campaign. */
  readonly retried: ReadonlyMap<RunningCampaign, RetriedRows>;
  /** The current number of a device, which replaces the number that the campaign was created with; E.164 digits. */
  readonly acceptedNumber: string | undefined;
}

/** Rows that the user allows to be sent again, by their numbers, with their state when the user was asked. */
export type RetriedRows = ReadonlyMap<number, RowStatus>;

export interface DeviceResult {
  readonly sender: DeviceSender;
  readonly end: SendEnd;
}

/**
 * Opens the campaigns of a run.
 * @throws Failure `notFound`, and `invalidInput` if one is cancelled or may not be sent from here
 */
export async function openCampaigns(
  store: CampaignStore,
  origin: string,
  names: readonly string[],
  { takesOver }: Pick<RunChoices, 'takesOver'>,
): Promise<readonly RunningCampaign[]> {
  const campaigns: RunningCampaign[] = [];
  for (const name of new Set(names)) {
    const campaign = await store.open(origin, name);
    if (campaign.mark?.state === 'cancelled') throw cancelledFailure(name);
    if (!takesOver && campaign.obstacle) throw campaign.obstacle;
    campaigns.push(campaign);
  }
  return campaigns;
}

/** Returns the devices of campaigns, each with the campaigns that use it. */
export async function groupByDevice(
  { devices }: Pick<ResourceContext, 'devices'>,
  campaigns: readonly RunningCampaign[],
): Promise<readonly { readonly device: Device; readonly entries: readonly QueueEntry[] }[]> {
  const book = await devices.list();
  const queues = new Map<string, { readonly device: Device; readonly entries: QueueEntry[] }>();
  for (const campaign of campaigns) {
    for (const [at, { id, name }] of campaign.campaign.devices.entries()) {
      const device = deviceOf(book.find((booked) => booked.id === id) ?? { id, ...(name && { name }) }, book);
      const queue = queues.get(id) ?? { device, entries: [] };
      queues.set(id, queue);
      queue.entries.push({ campaign, device: at });
    }
  }
  return [...queues.values()];
}

type ReadyContext = Pick<RunContext, 'session' | 'store' | 'requestTimeout'>;

/**
 * Applies the user's choices before anything is sent: resumes campaigns, plans rows again, accepts a number.
 * @throws Failure `invalidInput` if no device has the accepted number
 */
export async function prepareRun(
  context: ReadyContext,
  campaigns: readonly RunningCampaign[],
  choices: RunChoices,
): Promise<void> {
  const { session, store } = context;
  const { retried, acceptedNumber, takesOver, resumed } = choices;
  for (const one of campaigns) {
    if (takesOver && one.obstacle) {
      await store.takeOver(one.campaign);
      await one.refresh();
    }
    if (one.mark && resumed.has(one)) await store.mark(one.campaign, undefined);
  }
  let isAccepted = acceptedNumber === undefined;
  for (const { device, entries } of await groupByDevice(session, campaigns)) {
    if (entries.some(({ campaign }) => retried.get(campaign)?.size))
      await retryRows(context, { device, entries }, choices);
    if (acceptedNumber === undefined) continue;
    const { phoneNumber } = await readAndNote(session, device);
    const match = compareNumbers(acceptedNumber, phoneNumber);
    if (phoneNumber === undefined || match === 'other' || match === 'unknown') continue;
    isAccepted = true;
    for (const { campaign, device: at } of entries)
      await store.setNumber(campaign.campaign, at, session.redact(phoneNumber));
  }
  if (!isAccepted) {
    throw new Failure('invalidInput', `No device of the campaign has the number +${acceptedNumber}.`, {
      hint: 'Give the current number of its phone. Nothing was sent.',
    });
  }
}

async function retryRows(
  { session, store, requestTimeout }: ReadyContext,
  { device, entries }: { readonly device: Device; readonly entries: readonly QueueEntry[] },
  { retried }: RunChoices,
): Promise<void> {
  const { signal, clock } = session;
  const key = { origin: entries[0]?.campaign.campaign.origin ?? '', device: device.id };
  const queue = { key, label: device.label, entries };
  // The claim waits until no message of the device is in flight, and makes rows of dead processes unknown.
  const claimed = await store.claim(queue, ({ queue, now }) => ({ queue, instead: now }), {
    ...{ signal, clock, requestTimeout },
  });
  if (!('instead' in claimed)) throw new TypeError('nothing was to be claimed');
  const at = new Date(claimed.instead).toISOString();
  for (const { campaign, device: place } of entries) {
    const now = await campaign.rowsIn(['unknown', 'rejected']);
    const changes = [...now.values()].flatMap(({ row, state, attempts = 0, device: its }) => {
      const asked = retried.get(campaign)?.get(row);
      // Another process may have sent the row again since, and the user has not agreed to send it once more.
      if (its !== place || !asked || (asked.attempts ?? 0) !== attempts) return [];
      const isAsked = state === asked.state || (asked.state === 'sending' && state === 'unknown');
      return isAsked ? [{ row, event: 'retry' as const, at, attempts }] : [];
    });
    if (changes.length > 0) await store.record(campaign.campaign, changes);
  }
}

/**
 * Sends the planned rows of campaigns. All devices send at the same time. Returns why each device ended.
 * @throws Failure if something can't be read or written, after every device has ended
 */
export async function runCampaigns(
  context: RunContext,
  campaigns: readonly RunningCampaign[],
  onSenders: (senders: readonly DeviceSender[]) => void,
): Promise<readonly DeviceResult[]> {
  const senders = (await groupByDevice(context.session, campaigns)).map(
    ({ device, entries }) => new DeviceSender(context, device, entries),
  );
  onSenders(senders);
  const ended = await Promise.allSettled(
    senders.map(async (sender) => ({ sender, end: await sender.run() })),
  );
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
