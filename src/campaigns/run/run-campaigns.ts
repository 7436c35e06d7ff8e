import { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import { type Device, deviceOf, readAndNote } from '../../resources/devices/device.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { CampaignRow } from '../campaign.ts';
import { cancelledCampaign, createFileStore } from '../files/file-store.ts';
import { laneTurn } from '../files/lane-file.ts';
import { isSameMachine, ofOtherMachine, thisMachine } from '../files/machine.ts';
import { createOptOuts } from '../files/opt-outs.ts';
import { RunningCampaign } from '../files/running-campaign.ts';
import type { RowState } from '../row-state.ts';
import { checkLane, type LaneEnd, type LaneEntry, LaneRun, type RunContext } from './run-lane.ts';

/** What a person lets a run do beside sending what is planned. */
export interface RunChoices {
  readonly movesHere: boolean;
  /** The rows that are sent again, of each campaign. */
  readonly retried: ReadonlyMap<RunningCampaign, RetriedRows>;
  /** The number that a device has now in the place of the one that it was made with; E.164 digits. */
  readonly acceptedNumber: string | undefined;
}

/** Rows that a person lets a run send again, by their numbers, as they stood when that was asked. */
export type RetriedRows = ReadonlyMap<number, CampaignRow>;

/** A lane that has ended. */
export interface EndedLane {
  readonly lane: LaneRun;
  readonly end: LaneEnd;
}

/**
 * Opens campaigns that are to be sent.
 * @throws Failure `notFound`, and `invalidInput` where one is cancelled, or belongs to another machine
 */
export function openCampaigns(
  data: string,
  origin: string,
  names: readonly string[],
  { movesHere }: Pick<RunChoices, 'movesHere'>,
): readonly RunningCampaign[] {
  return [...new Set(names)].map((name) => {
    const campaign = new RunningCampaign(data, origin, name);
    const { mark, campaign: frozen } = campaign.stored;
    if (mark?.state === 'cancelled') throw cancelledCampaign(name);
    if (!movesHere && !isSameMachine(frozen.made_on, thisMachine()))
      throw ofOtherMachine(`Campaign ${inSentence(name)}`, frozen.made_on, names);
    return campaign;
  });
}

/** Returns the rows of a campaign that are in one of these states now. */
export function rowsIn({ stored }: RunningCampaign, states: readonly RowState[]): RetriedRows {
  const found = stored.rows.filter(({ state }) => states.includes(state));
  return new Map(found.map((row) => [row.row, row]));
}

/** Returns the devices of campaigns, each with its part of them. */
export function lanesOf(
  { api, settings }: Pick<ResourceContext, 'api' | 'settings'>,
  campaigns: readonly RunningCampaign[],
): readonly { readonly device: Device; readonly entries: readonly LaneEntry[] }[] {
  const book = settings.devices.list(api.baseUrl);
  const lanes = new Map<string, { readonly device: Device; readonly entries: LaneEntry[] }>();
  for (const campaign of campaigns) {
    for (const [at, { id, name }] of campaign.stored.campaign.devices.entries()) {
      const device = deviceOf(book.find((booked) => booked.id === id) ?? { id, ...(name && { name }) }, book);
      const lane = lanes.get(id) ?? { device, entries: [] };
      lanes.set(id, lane);
      lane.entries.push({ campaign, device: at });
    }
  }
  return [...lanes.values()];
}

/**
 * Does what a person chose before anything is sent: paused campaigns go on, rows are planned again, a number is accepted.
 * @throws Failure `invalidInput` where no device has the number that was accepted
 */
export async function makeReady(
  session: ResourceContext,
  campaigns: readonly RunningCampaign[],
  { movesHere, retried, acceptedNumber }: RunChoices,
): Promise<void> {
  const { settings, signal, clock } = session;
  const { data } = settings.paths;
  const store = createFileStore(data, signal);
  for (const { stored } of campaigns) {
    if (movesHere) await store.move(stored.campaign);
    if (stored.mark) await store.mark(stored.campaign, undefined);
  }
  let isAccepted = acceptedNumber === undefined;
  for (const { device, entries } of lanesOf(session, campaigns)) {
    if (entries.some(({ campaign }) => retried.get(campaign)?.size)) {
      // Who has the turn knows that no message of the device is on its way.
      const turn = await laneTurn(
        data,
        { origin: entries[0]?.campaign.origin ?? '', device: device.id },
        signal,
        checkLane({ device, entries }, movesHere),
      );
      try {
        for (const entry of entries) {
          const rows = retried.get(entry.campaign);
          if (rows) await retryRows(entry, rows, new Date(clock.now()).toISOString(), signal);
        }
      } finally {
        turn.release();
      }
    }
    if (acceptedNumber === undefined) continue;
    const { phoneNumber } = await readAndNote(session, device);
    if (phoneNumber?.replace(/\D/g, '') !== acceptedNumber) continue;
    isAccepted = true;
    for (const { campaign, device: at } of entries) {
      await store.change(campaign.stored.campaign, (stored) => ({
        rows: stored.rows,
        campaign: {
          ...stored.campaign,
          devices: stored.campaign.devices.map((one, place) =>
            place === at ? { ...one, number: session.redact(phoneNumber) } : one,
          ),
        },
      }));
    }
  }
  if (!isAccepted) {
    throw new Failure('invalidInput', `No device of the campaign has the number +${acceptedNumber}.`, {
      hint: 'Give the number that its phone has now; nothing was sent.',
    });
  }
}

async function retryRows(
  { campaign, device }: LaneEntry,
  retried: RetriedRows,
  at: string,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = campaign.refresh();
  const changes = rows.flatMap(({ row, state, attempts, device: its }) => {
    const asked = retried.get(row);
    // Another process may have sent it again since: nobody has let that message be sent once more.
    if (its !== device || !asked || asked.attempts !== attempts) return [];
    const retry = { row, event: 'retry' as const, at };
    if (state === 'sending') return [{ row, event: 'lose' as const, at, reason: 'PROCESS_ENDED' }, retry];
    return state === asked.state || (asked.state === 'sending' && state === 'unknown') ? [retry] : [];
  });
  if (changes.length > 0) await campaign.record(changes, { isSynchronised: true, signal });
}

/**
 * Sends what campaigns have planned: each device its own, at the same time as the others. Returns how each device ended.
 * @throws Failure where something can't be read or written, once every device has ended
 */
export async function runLanes(
  context: Omit<RunContext, 'data' | 'isOptedOut' | 'begunAt'>,
  campaigns: readonly RunningCampaign[],
  onLanes: (lanes: readonly LaneRun[]) => void,
): Promise<readonly EndedLane[]> {
  const { session } = context;
  const { data } = session.settings.paths;
  const optOuts = createOptOuts(data, session.api.baseUrl, session.signal);
  const run: RunContext = {
    ...context,
    data,
    begunAt: session.clock.now(),
    isOptedOut: (digits) => optOuts.test()(digits),
  };
  const lanes = lanesOf(session, campaigns).map(({ device, entries }) => new LaneRun(run, device, entries));
  onLanes(lanes);
  const ended = await Promise.allSettled(lanes.map(async (lane) => ({ lane, end: await lane.run() })));
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
