import { existsSync } from 'node:fs';
import type { RowStanding } from '../campaign.ts';
import { type Lane, type StartedCampaign, upTo, withoutProcess, withoutRequest } from '../lane.ts';
import { beginLease, leaseTime } from '../lease.ts';
import { processEnded, type RowChange } from '../row-state.ts';
import type { LaneEntry, LaneOfRun, RowClaim, Turn, TurnOptions } from '../running.ts';
import type { CampaignOnFile } from './campaign-run.ts';
import { type HeldLane, holdLane, type LaneOnFile } from './lane-file.ts';
import { isSameMachine, ofOtherMachine, thisMachine } from './machine.ts';
import { readMark } from './mark.ts';
import type { OptOutFile } from './opt-outs.ts';

/** What a turn needs of the files. */
interface Files {
  readonly data: string;
  readonly optOuts: OptOutFile;
  /** Returns a campaign that was opened. */
  campaignOf(entry: LaneEntry): CampaignOnFile;
}

/** Keeps what happened also after a signal. */
const always = new AbortController().signal;

/** Waits for the turn of a device on files: see `CampaignStore.turn`. The lock of its file is held as long as the turn. */
export async function turnOnFiles(
  { data, optOuts, campaignOf }: Files,
  lane: LaneOfRun,
  { signal, clock, takesOver = false, requestTimeout }: TurnOptions,
): Promise<Turn> {
  const held = await holdLane(data, lane.key, signal, laneCheck(lane, takesOver));
  const campaigns = lane.entries.map((entry) => ({ ...entry, campaign: campaignOf(entry) }));
  try {
    const now = clock.now();
    const machine = thisMachine();
    if (!isSameMachine(held.lane.machine, machine)) held.update({ ...held.lane, machine });
    for (const { campaign } of campaigns) campaign.read();
    for (const { campaign, device } of campaigns) await loseOrphans(campaign, device, now);
    const draw = clock.random();
    if (held.lane.isBusy) held.note(onFile(held, withoutProcess(held.lane, now, draw)));
    // Written down, or the pause after it would begin again each time.
    if ((held.lane.lastAt ?? 0) > now) held.note(onFile(held, upTo(held.lane, now)));
  } catch (error) {
    held.release();
    throw error;
  }
  const own = new Set(campaigns.map(({ campaign }) => campaign.id));
  const record = async (
    entry: LaneEntry,
    row: number,
    change: Pick<RowChange, 'event' | 'reason' | 'because'>,
  ): Promise<readonly RowStanding[]> => {
    const at = new Date(clock.now()).toISOString();
    return campaignOf(entry).record([{ ...change, row, at }], { isSynchronised: false, signal: always });
  };
  // The lock of a living process is nobody else's, however long it stands still; what was decided before isn't so any more.
  const lease = () => beginLease(leaseTime(requestTimeout), () => clock.now());
  return {
    get lane() {
      return withOpen(held.lane, own);
    },
    now: () => clock.now(),
    next: (entry) => campaignOf(entry).next(entry.device),
    isOptedOut: ({ to }) => to !== undefined && optOuts.testNow()(to),
    update: async (next) => held.update(onFile(held, next)),
    skip: async (entry, row, why) => void (await record(entry, row, { event: 'skip', ...why })),
    async claim(entry, row, next): Promise<RowClaim | undefined> {
      const before = held.lane;
      const isHeld = lease();
      held.note(onFile(held, next));
      const { to } = row;
      const claimed = await campaignOf(entry).claim(row.row, {
        at: new Date(clock.now()).toISOString(),
        signal: always,
        isHeld: () => to !== undefined && optOuts.testNow()(to),
      });
      if (claimed) return { row: { ...row, ...claimed }, isHeld };
      held.note(onFile(held, withoutRequest(held.lane, before)));
      return undefined;
    },
    async settle(entry, row, outcome, next) {
      await record(entry, row, outcome);
      const isPausedNow = next.paused !== undefined && held.lane.paused === undefined;
      const kept = onFile(held, next);
      // Only a person ends a pause, so it has to be there after a power cut as well.
      if (isPausedNow) held.update(kept);
      else held.note(kept);
    },
    async claimDevice(next) {
      const isHeld = lease();
      held.update(onFile(held, next));
      return { isHeld };
    },
    settleDevice: async (next) => held.update(onFile(held, next)),
    release: () => held.release(),
  };
}

/** Returns a check that a device belongs to this machine. */
function laneCheck({ entries, label }: LaneOfRun, takesOver: boolean): (lane: LaneOnFile) => void {
  return ({ machine }) => {
    if (takesOver || isSameMachine(machine, thisMachine())) return;
    throw ofOtherMachine(
      label,
      machine,
      entries.map(({ campaign }) => campaign.campaign.name),
    );
  };
}

function onFile({ lane: { machine } }: HeldLane, lane: Lane): LaneOnFile {
  return { ...lane, machine };
}

/** Who has the turn knows that what is being sent through the device is not: its process died. */
async function loseOrphans(campaign: CampaignOnFile, device: number, now: number): Promise<void> {
  const changes = campaign
    .sending(device)
    .map(({ row }) => ({ row, ...processEnded, at: new Date(now).toISOString() }));
  if (changes.length > 0) await campaign.record(changes, { isSynchronised: false, signal: always });
}

/** Returns a lane with the campaigns that are there, and neither paused nor cancelled; a run sees to its own ones. */
function withOpen(lane: Lane, own: ReadonlySet<string>): Lane {
  const isOpen = ([path, campaign]: readonly [string, StartedCampaign]): boolean =>
    own.has(path) || (existsSync(path) && !readMark(path, campaign));
  return { ...lane, campaigns: Object.fromEntries(Object.entries(lane.campaigns).filter(isOpen)) };
}
