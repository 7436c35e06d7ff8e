import { existsSync } from 'node:fs';
import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import type { Device } from '../../resources/devices/device.ts';
import { readAndNote } from '../../resources/devices/device.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { diagnose } from '../../resources/devices/diagnosis.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { CampaignRow } from '../campaign.ts';
import { laneTurn, type Turn } from '../files/lane-file.ts';
import { isSameMachine, ofOtherMachine, thisMachine } from '../files/machine.ts';
import { readMark } from '../files/mark.ts';
import type { RunningCampaign } from '../files/running-campaign.ts';
import {
  goingOn,
  type Lane,
  type LaneKey,
  type StartedCampaign,
  upTo,
  withOutcome,
  withoutProcess,
  withoutRequest,
  withRequest,
} from '../lane.ts';
import { type NamedPace, nextInstant } from '../pace.ts';
import type { Returned } from './classify.ts';
import { canSend, sendRow } from './send-row.ts';

/** A campaign in a lane. */
export interface LaneEntry {
  readonly campaign: RunningCampaign;
  /** The place of the device among the campaign's. */
  readonly device: number;
}

/** Why a lane has ended. */
export type LaneEnd =
  /** Nothing is left to send. */
  | { readonly kind: 'done' }
  /** Nothing may go before an instant; milliseconds since 1970. */
  | { readonly kind: 'closed'; readonly until: number; readonly because: string }
  /** Nothing may go before somebody has seen to something. */
  | { readonly kind: 'stuck'; readonly because: string; readonly failure?: Failure | undefined }
  /** The service has too many requests, for longer than is waited for. */
  | { readonly kind: 'limited'; readonly because: string; readonly failure: Failure }
  /** A signal ended the line. */
  | { readonly kind: 'stopped'; readonly failure: Failure };

/** What a lane waits for. */
export interface LaneWait {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** A sentence. */
  readonly because: string;
}

/** What all lanes of a run have. */
export interface RunContext {
  readonly session: ResourceContext;
  /** Sends each message once, and lets one that is on its way come to its end. */
  readonly once: Api;
  /** The directory of botctl's data. */
  readonly data: string;
  /** Goes on where nothing may go before a window, a new day or a repair. */
  readonly waits: boolean;
  readonly movesHere: boolean;
  /** When it began, in milliseconds since 1970: what was paused by then goes on. */
  readonly begunAt: number;
  /** True if such a number opted out. */
  isOptedOut(digits: string): boolean;
  /** Is told what a lane waits for; undefined once it goes on. */
  onWait(lane: LaneRun, wait: LaneWait | undefined): void;
}

/** A status is read again after so many milliseconds. */
const statusAgeMs = 60_000;

/** Marks and windows are looked at again after so many milliseconds of a wait. */
const longestSleepMs = 60_000;

/** Milliseconds that a service is waited for which takes nothing, where nobody said to wait. */
const patienceMs = 5 * 60_000;

/** Milliseconds between two looks at a device that can't send. */
const repairLookMs = 30_000;

const firstBackoffMs = 1000;
const longestBackoffMs = 60_000;

/** The messages of a device, of all campaigns of a run, one after the other. */
export class LaneRun {
  readonly #context: RunContext;
  readonly #key: LaneKey;
  #entries: readonly LaneEntry[];
  /** When the status was read, or undefined if it has to be. */
  #readAt: number | undefined;
  #wasReached = false;
  /** Since when the service takes nothing, and how often it was tried. */
  #refused: { readonly since: number; readonly times: number } | undefined;
  /** What the service asked to wait for, and since when: nothing is asked of it before. */
  #backedOff: (LaneWait & { readonly since: number }) | undefined;
  /** Keeps what happened also after a signal. */
  readonly #always = new AbortController().signal;

  constructor(
    context: RunContext,
    readonly device: Device,
    readonly entries: readonly LaneEntry[],
  ) {
    this.#context = context;
    this.#entries = entries;
    this.#key = { origin: entries[0]?.campaign.origin ?? '', device: device.id };
  }

  /**
   * Sends what may be sent. Returns why it ended.
   * @throws Failure where something can't be read or written
   */
  async run(): Promise<LaneEnd> {
    try {
      for (;;) {
        const end = await this.#step();
        if (end) return end;
      }
    } catch (error) {
      if (error instanceof Failure && error.isInterruption) return { kind: 'stopped', failure: error };
      throw error;
    }
  }

  /** Sends a message, or waits for what it needs. */
  async #step(): Promise<LaneEnd | undefined> {
    const { session, data, waits, movesHere } = this.#context;
    session.signal.throwIfAborted();
    const turn = await laneTurn(data, this.#key, session.signal, checkLane(this, movesHere));
    let wait: (LaneWait & { readonly isOver?: LaneEnd | undefined }) | undefined;
    try {
      const next = await this.#inTurn(turn);
      if (next === undefined) return undefined;
      if ('kind' in next && next.kind !== 'closed') return next;
      wait = 'kind' in next ? { ...next, isOver: waits ? undefined : next } : next;
    } finally {
      turn.release();
    }
    if (wait.isOver) return wait.isOver;
    await this.#sleepUntil(wait);
    return undefined;
  }

  async #inTurn(turn: Turn): Promise<LaneEnd | LaneWait | undefined> {
    const { session, begunAt } = this.#context;
    const now = session.clock.now();
    const machine = thisMachine();
    if (!isSameMachine(turn.lane.machine, machine)) turn.update({ ...turn.lane, machine });
    for (const { campaign } of this.#entries) campaign.refresh();
    await this.#loseOrphans(now);
    if (turn.lane.isBusy) turn.update(withoutProcess(turn.lane, now, session.clock.random()));
    // Written down, or the pause after it would begin anew each time.
    if ((turn.lane.lastAt ?? 0) > now) turn.update(upTo(turn.lane, now));
    const { paused } = turn.lane;
    if (paused && paused.at > begunAt && paused.at <= now) return { kind: 'stuck', because: paused.because };
    if (paused) turn.update(goingOn(turn.lane));
    const open = this.#entries.filter(({ campaign }) => !campaign.stored.mark);
    const next = open.find(({ campaign, device }) => campaign.next(device));
    this.#enter(turn);
    if (!next) return this.#over();
    const instant = nextInstant(this.#paces(turn), turn.lane, now);
    if (instant.at > now) {
      const { at: until, because = '' } = instant;
      if (until === Number.POSITIVE_INFINITY)
        return { kind: 'stuck', because: 'Its campaigns have no time in common.' };
      return instant.why === 'gap' ? { until, because } : { kind: 'closed', until, because };
    }
    const asked = this.#backedOff;
    if (asked && asked.since <= now && now < asked.until) return asked;
    const row = next.campaign.next(next.device);
    if (!row) return undefined;
    if (row.to === undefined || this.#context.isOptedOut(row.to)) {
      await this.#record(next, { row: row.row, event: 'skip', reason: 'opted_out', because: 'it opted out' });
      return undefined;
    }
    if (this.#readAt === undefined || now - this.#readAt >= statusAgeMs) return this.#look(now);
    return this.#send(turn, next, row);
  }

  /** Who has the turn knows that what is being sent through the device is not: its process died. */
  async #loseOrphans(now: number): Promise<void> {
    const because = 'the process that sent it ended before the answer came';
    for (const { campaign, device } of this.#entries) {
      if (campaign.tally(device).sending === 0) continue;
      const lost = campaign.stored.rows.filter((row) => row.state === 'sending' && row.device === device);
      const at = new Date(now).toISOString();
      const changes = lost.map(({ row }) => ({
        row,
        event: 'lose' as const,
        at,
        reason: 'PROCESS_ENDED',
        because,
      }));
      await campaign.record(changes, { isSynchronised: false, signal: this.#always });
    }
  }

  /** Keeps which campaigns have rows left here; those of other runs too, unless they are marked or gone. */
  #enter(turn: Turn): void {
    const own = new Map(this.entries.map((entry) => [entry.campaign.path, entry]));
    const kept: [string, StartedCampaign][] = Object.entries(turn.lane.campaigns).filter(
      ([path, other]) => !own.has(path) && isGoingOn(path, other),
    );
    for (const [path, { campaign, device }] of own) {
      if (campaign.stored.mark || campaign.next(device) === undefined) continue;
      const { created_at } = campaign.stored.campaign;
      kept.push([path, { name: campaign.name, created_at, pace: campaign.pace }]);
    }
    const campaigns = Object.fromEntries(kept);
    if (JSON.stringify(campaigns) !== JSON.stringify(turn.lane.campaigns))
      turn.update({ ...turn.lane, campaigns });
  }

  #paces(turn: Turn): readonly NamedPace[] {
    return Object.values(turn.lane.campaigns);
  }

  #over(): LaneEnd {
    const marked = this.#entries.find(
      ({ campaign, device }) => campaign.stored.mark && campaign.next(device) !== undefined,
    );
    if (!marked) return { kind: 'done' };
    const { name, stored } = marked.campaign;
    return { kind: 'stuck', because: `Campaign ${name} was ${stored.mark?.state}.` };
  }

  /** Looks whether the device can send, with the number that the campaigns know. */
  async #look(now: number): Promise<LaneEnd | LaneWait | undefined> {
    const { session } = this.#context;
    let status: DeviceStatus;
    try {
      // A key that is refused, or a service that isn't there, is to be known before a message is on its way.
      await this.#context.once.accessToken();
      status = await readAndNote(session, this.device);
    } catch (error) {
      if (!(error instanceof Failure) || error.isInterruption) throw error;
      // What was never reached is told at once; what was there may come back.
      const isPassing = error.kind === 'network' || error.kind === 'rateLimited';
      if (isPassing && (this.#wasReached || this.#context.waits)) return this.#backOff(error, undefined, now);
      return { kind: 'stuck', because: error.message, failure: error };
    }
    this.#wasReached = true;
    const { text } = diagnose(status, { word: this.device.word }, now);
    if (!canSend(status)) return this.#repair(`${this.device.label} can't send: ${text}.`, now);
    const number = status.phoneNumber === undefined ? undefined : session.redact(status.phoneNumber);
    const other = this.#entries.find(
      ({ campaign, device }) => campaign.stored.campaign.devices[device]?.number !== number,
    );
    if (other) {
      const { campaign, device } = other;
      const frozen = campaign.stored.campaign.devices[device]?.number;
      const because = `${this.device.label} has ${number ?? 'no number'} now, and campaign ${campaign.name} was made with ${frozen}. If that is right: --accept-number ${number ?? ''}`;
      return { kind: 'stuck', because };
    }
    this.#readAt = now;
    return undefined;
  }

  async #send(
    turn: Turn,
    entry: LaneEntry,
    { row, to }: CampaignRow,
  ): Promise<LaneEnd | LaneWait | undefined> {
    const { session } = this.#context;
    const before = turn.lane;
    const at = session.clock.now();
    session.signal.throwIfAborted();
    turn.update(withRequest(before, at));
    const claimed = await entry.campaign.claim(row, {
      at: new Date(at).toISOString(),
      signal: this.#always,
      isHeld: () => to !== undefined && this.#context.isOptedOut(to),
    });
    if (!claimed) {
      turn.update(withoutRequest(turn.lane, before));
      return undefined;
    }
    this.#context.onWait(this, undefined);
    const outcome = await sendRow(this.#context, this.device, entry.campaign, claimed);
    const now = session.clock.now();
    if (outcome.event === 'return') {
      await this.#record(entry, { row, event: 'return' });
      turn.update(withoutRequest(turn.lane, before));
      return this.#afterReturn(outcome, now);
    }
    this.#refused = undefined;
    await this.#record(entry, { row, ...outcome });
    turn.update(withOutcome(turn.lane, outcome, now, session.clock.random()));
    if (outcome.event === 'lose') this.#readAt = undefined;
    const { paused } = turn.lane;
    return paused ? { kind: 'stuck', because: paused.because } : undefined;
  }

  #afterReturn({ cause, failure, waitMs }: Returned, now: number): LaneEnd | LaneWait | undefined {
    this.#readAt = undefined;
    if (cause === 'stopped') return { kind: 'stopped', failure };
    if (cause === 'device') return this.#repair(failure.message, now);
    if (cause === 'key') return { kind: 'stuck', because: failure.message, failure };
    return this.#backOff(failure, waitMs, now);
  }

  /** Waits longer each time, and gives up after a while. */
  #backOff(failure: Failure, asked: number | undefined, now: number): LaneEnd | LaneWait {
    const { since, times } = this.#refused ?? { since: now, times: 0 };
    this.#refused = { since, times: times + 1 };
    const wait = asked ?? Math.min(longestBackoffMs, firstBackoffMs * 2 ** times);
    const because = failure.message;
    if (!this.#context.waits && now + wait - since > patienceMs)
      return failure.kind === 'rateLimited'
        ? { kind: 'limited', because, failure }
        : { kind: 'stuck', because, failure };
    this.#backedOff = { since: now, until: now + wait, because };
    return this.#backedOff;
  }

  #repair(because: string, now: number): LaneEnd | LaneWait {
    this.#readAt = undefined;
    return this.#context.waits ? { until: now + repairLookMs, because } : { kind: 'stuck', because };
  }

  #record({ campaign }: LaneEntry, change: Change): Promise<readonly CampaignRow[]> {
    const at = new Date(this.#context.session.clock.now()).toISOString();
    return campaign.record([{ ...change, at }], { isSynchronised: false, signal: this.#always });
  }

  async #sleepUntil(wait: LaneWait): Promise<void> {
    const { clock, signal } = this.#context.session;
    this.#context.onWait(this, wait);
    const time = wait.until - clock.now();
    if (time > statusAgeMs) this.#readAt = undefined;
    await clock.sleep(Math.max(0, Math.min(time, longestSleepMs)), signal);
  }
}

/**
 * Returns a check of whose a lane is, for the campaigns of a line.
 * @param movesHere takes it over from another machine
 */
export function checkLane(
  { device, entries }: { readonly device: Device; readonly entries: readonly LaneEntry[] },
  movesHere: boolean,
): (lane: Lane) => void {
  return ({ machine }) => {
    const names = entries.map(({ campaign }) => campaign.name);
    if (!movesHere && !isSameMachine(machine, thisMachine()))
      throw ofOtherMachine(device.label, machine, names);
  };
}

type Change = Omit<Parameters<RunningCampaign['record']>[0][number], 'at'>;

/** True if a campaign is there, and neither paused nor cancelled. */
function isGoingOn(path: string, campaign: StartedCampaign): boolean {
  return existsSync(path) && !readMark(path, campaign);
}
