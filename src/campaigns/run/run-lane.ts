import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { command, type RemarkText, remark } from '../../lib/text/remark.ts';
import type { Device } from '../../resources/devices/device.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { CampaignRow } from '../campaign.ts';
import {
  goingOn,
  type Lane,
  type StartedCampaign,
  withOutcome,
  withoutRequest,
  withRequest,
} from '../lane.ts';
import { olderData, recordLastSent } from '../last-sent.ts';
import { type Instant, type NamedPace, nextInstant, paceOf } from '../pace.ts';
import {
  type Claim,
  LaneChanged,
  type LaneEntry,
  type LaneOfRun,
  type OtherMessage,
  type Turn,
  TurnOver,
} from '../running.ts';
import type { CampaignStore } from '../store.ts';
import type { Returned } from './classify.ts';
import { type DeviceObstacle, lookAtDevice } from './look.ts';
import { sendRow } from './send-row.ts';

/** Why a lane has ended. */
export type LaneEnd =
  /** Nothing is left to send. */
  | { readonly kind: 'done' }
  /** Nothing may go before an instant; milliseconds since 1970. */
  | ({ readonly kind: 'closed' } & LaneWait)
  /** A person has paused, or cancelled, what is left. */
  | { readonly kind: 'paused' | 'cancelled'; readonly because: string }
  /** Nothing may go before somebody has seen to something. */
  | {
      readonly kind: 'stuck';
      readonly because: string;
      /** What to do about it. */
      readonly hint?: RemarkText | undefined;
      readonly failure?: Failure | undefined;
    }
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
  /** What to do about it, where it doesn't pass by itself. */
  readonly hint?: RemarkText | undefined;
  /** The zone whose days or windows it goes by, where it is those: an IANA name. */
  readonly zone?: string | undefined;
  /** The message of another process that it waits for, where it is that. */
  readonly other?: OtherMessage | undefined;
}

/** What all lanes of a run have. */
export interface RunContext {
  readonly session: ResourceContext;
  readonly store: CampaignStore;
  /**
   * Opens what sends each message once, and lets one that is on its way come to its end.
   * @param onLeaving called just before each request leaves, once its connection is made; what it throws ends the call in place of sending it
   */
  openOnce(onLeaving: () => void): Promise<Api>;
  /** Milliseconds that a request may take. */
  readonly requestTimeout: number;
  /** Goes on where nothing may go before a window, a new day or a repair. */
  readonly waits: boolean;
  /** Takes over what belongs to another machine. */
  readonly takesOver: boolean;
  /** Is told what a lane waits for; undefined once it goes on. */
  onWait(lane: LaneRun, wait: LaneWait | undefined): void;
}

/** A status is read again after so many milliseconds. */
export const statusAgeMs = 60_000;

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
  readonly #lane: LaneOfRun;
  /** When it began, by this machine's clock, in milliseconds since 1970: what was paused by then goes on. */
  readonly #begunAt: number;
  /** When the status was read, or undefined if it has to be. */
  #readAt: number | undefined;
  #wasReached = false;
  /** What the store's clock is ahead of this machine's, in milliseconds. */
  #shift = 0;
  /** Since when the service takes nothing, and how often it was tried. */
  #refused: { readonly since: number; readonly times: number } | undefined;
  /** What the service asked to wait for, and since when: nothing is asked of it before. */
  #backedOff: (LaneWait & { readonly since: number }) | undefined;
  #accepted = 0;
  /** The message that is on its way, as far as its device is held for it. */
  #claim: Claim | undefined;

  constructor(
    context: RunContext,
    readonly device: Device,
    readonly entries: readonly LaneEntry[],
  ) {
    this.#context = context;
    this.#begunAt = context.session.clock.now();
    const key = { origin: entries[0]?.campaign.campaign.origin ?? '', device: device.id };
    this.#lane = { key, label: device.label, entries };
  }

  /** How many messages the service took of it. */
  get accepted(): number {
    return this.#accepted;
  }

  /**
   * Sends what may be sent. Returns why it ended.
   * @throws Failure where something can't be read or written
   */
  async run(): Promise<LaneEnd> {
    const once = await this.#context.openOnce(() => this.#checkClaim());
    try {
      for (;;) {
        const end = await this.#step(once);
        if (end) return end;
      }
    } catch (error) {
      if (error instanceof Failure && error.isInterruption) return { kind: 'stopped', failure: error };
      throw error;
    } finally {
      await once.close();
    }
  }

  /** @throws TurnOver where the message may not leave any more: a process that stood still for long wakes up here */
  #checkClaim(): void {
    if (!this.#claim || this.#claim.isHeld()) return;
    throw new TurnOver();
  }

  /** Sends a message, or waits for what it needs. */
  async #step(once: Api): Promise<LaneEnd | undefined> {
    const { session, store, waits, takesOver, requestTimeout } = this.#context;
    const { signal, clock } = session;
    signal.throwIfAborted();
    let next: LaneEnd | LaneWait | undefined;
    try {
      const onHeld = (other: OtherMessage): void => this.#context.onWait(this, waitForOther(other));
      const turn = await store.turn(this.#lane, { signal, clock, takesOver, requestTimeout, onHeld });
      this.#shift = turn.now() - clock.now();
      try {
        next = await this.#inTurn(turn, once);
      } finally {
        turn.release();
      }
    } catch (error) {
      if (error instanceof LaneChanged) return undefined;
      // A database that is away comes back; nothing is known of the device until then.
      if (!(error instanceof Failure) || error.kind !== 'network' || !this.#wasReached) throw error;
      next = this.#backOff(error, undefined, this.#now());
      // It may come back as an older copy.
      this.#readAt = undefined;
    }
    if (next === undefined) return undefined;
    if ('kind' in next && (next.kind !== 'closed' || !waits)) return next;
    await this.#sleepUntil(next);
    return undefined;
  }

  /** The time by the clock of the store, as it was set when that was last looked at; milliseconds since 1970. */
  #now(): number {
    return this.#context.session.clock.now() + this.#shift;
  }

  async #inTurn(turn: Turn, once: Api): Promise<LaneEnd | LaneWait | undefined> {
    const now = turn.now();
    const { paused } = turn.lane;
    if (paused && paused.at > this.#begunAt + this.#shift && paused.at <= now)
      return { kind: 'stuck', because: paused.because };
    if (paused) await turn.update(goingOn(turn.lane));
    const next = this.entries.find((entry) => !entry.campaign.mark && turn.next(entry));
    await this.#enter(turn);
    if (!next) return this.#over(turn);
    // What was written took its time, and a day or a window may have ended meanwhile.
    const decided = turn.now();
    const instant = nextInstant(pacesOf(turn.lane), turn.lane, decided);
    const names = this.entries.map(({ campaign: { campaign } }) => campaign.name);
    const wait = waitFor(instant, decided, names) ?? this.#stillBackedOff(decided);
    if (wait) return wait;
    const row = turn.next(next);
    if (!row) return undefined;
    if (row.to === undefined || turn.isOptedOut(row)) {
      await turn.skip(next, row.row, { reason: 'opted_out', because: 'it opted out' });
      return undefined;
    }
    if (this.#readAt === undefined || now - this.#readAt >= statusAgeMs) return this.#look(once, now);
    return this.#send(turn, once, { entry: next, row, decided });
  }

  /** Keeps which campaigns have rows left here; those of other runs too. */
  async #enter(turn: Turn): Promise<void> {
    const own = new Map(this.entries.map((entry) => [entry.campaign.id, entry]));
    const kept: [string, StartedCampaign][] = Object.entries(turn.lane.campaigns).filter(
      ([id]) => !own.has(id),
    );
    for (const [id, entry] of own) {
      const { campaign, mark } = entry.campaign;
      if (mark || turn.next(entry) === undefined) continue;
      const { name, created_at } = campaign;
      kept.push([id, { name, created_at, pace: paceOf(campaign) }]);
    }
    const campaigns = Object.fromEntries(kept);
    if (JSON.stringify(campaigns) !== JSON.stringify(turn.lane.campaigns))
      await turn.update({ ...turn.lane, campaigns });
  }

  #over(turn: Turn): LaneEnd {
    const left = this.entries.filter((entry) => entry.campaign.mark && turn.next(entry) !== undefined);
    const marked = left.map(({ campaign }) => campaign);
    // What can go on is told before what can't.
    const first =
      marked.find((one) => one.obstacle) ?? marked.find((one) => one.mark?.state === 'paused') ?? marked[0];
    if (!first?.mark) return { kind: 'done' };
    const { obstacle, mark, campaign } = first;
    if (obstacle) return { kind: 'stuck', because: obstacle.message, hint: obstacle.hint };
    return { kind: mark.state, because: `Campaign ${campaign.name} was ${mark.state}.` };
  }

  #stillBackedOff(now: number): LaneWait | undefined {
    const asked = this.#backedOff;
    return asked && asked.since <= now && now < asked.until ? asked : undefined;
  }

  /** Looks whether the device can send, with the number that the campaigns know, and whether their data is still the newest. */
  async #look(once: Api, now: number): Promise<LaneEnd | LaneWait | undefined> {
    const { session, store } = this.#context;
    for (const { campaign } of this.entries) {
      const because = await olderData(session.settings.paths.cache, store, campaign);
      if (because !== undefined) return { kind: 'stuck', because };
    }
    let obstacle: DeviceObstacle | undefined;
    try {
      obstacle = await lookAtDevice({ session, once }, this.device, this.entries, now);
    } catch (error) {
      if (!(error instanceof Failure) || error.isInterruption) throw error;
      // What was never reached is told at once; what was there may come back.
      const isPassing = error.kind === 'network' || error.kind === 'rateLimited';
      if (isPassing && (this.#wasReached || this.#context.waits)) return this.#backOff(error, undefined, now);
      return { kind: 'stuck', because: error.message, hint: error.hint, failure: error };
    }
    this.#wasReached = true;
    if (obstacle) {
      return obstacle.isOtherNumber
        ? { kind: 'stuck', because: obstacle.because, hint: obstacle.hint }
        : this.#repair(obstacle, now);
    }
    this.#readAt = now;
    return undefined;
  }

  async #send(
    turn: Turn,
    once: Api,
    { entry, row, decided }: { entry: LaneEntry; row: CampaignRow; decided: number },
  ): Promise<LaneEnd | LaneWait | undefined> {
    const { session } = this.#context;
    const before = turn.lane;
    session.signal.throwIfAborted();
    const claim = await turn.claim(entry, row, withRequest(before, decided));
    if (!claim) return undefined;
    this.#context.onWait(this, undefined);
    this.#claim = claim;
    const outcome = await sendRow({ session, once }, this.device, entry.campaign.campaign, claim.row);
    this.#claim = undefined;
    const now = turn.now();
    if (outcome.event === 'return') {
      await turn.settle(entry, row.row, { event: 'return' }, withoutRequest(turn.lane, before));
      return this.#afterReturn(outcome, now);
    }
    this.#refused = undefined;
    const lane = withOutcome(turn.lane, outcome, now, session.clock.random());
    if (outcome.event === 'accept') this.#accepted += 1;
    await turn.settle(entry, row.row, outcome, lane);
    recordLastSent(session.settings.paths.cache, entry.campaign, claim.row, new Date(now).toISOString());
    if (outcome.event === 'lose') this.#readAt = undefined;
    return lane.paused ? { kind: 'stuck', because: lane.paused.because } : undefined;
  }

  #afterReturn({ cause, failure, waitMs }: Returned, now: number): LaneEnd | LaneWait | undefined {
    this.#readAt = undefined;
    if (cause === 'stopped') return { kind: 'stopped', failure };
    const { message: because, hint } = failure;
    if (cause === 'device') return this.#repair({ because, hint }, now);
    if (cause === 'key') return { kind: 'stuck', because, hint, failure };
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
        : { kind: 'stuck', because, hint: failure.hint, failure };
    this.#backedOff = { since: now, until: now + wait, because };
    return this.#backedOff;
  }

  #repair({ because, hint }: Pick<LaneWait, 'because' | 'hint'>, now: number): LaneEnd | LaneWait {
    this.#readAt = undefined;
    return this.#context.waits
      ? { until: now + repairLookMs, because, hint }
      : { kind: 'stuck', because, hint };
  }

  async #sleepUntil(wait: LaneWait): Promise<void> {
    const { clock, signal } = this.#context.session;
    this.#context.onWait(this, wait);
    const time = wait.until - this.#now();
    if (time > statusAgeMs) this.#readAt = undefined;
    await clock.sleep(Math.max(0, Math.min(time, longestSleepMs)), signal);
  }
}

/** Returns what a lane waits for whose device another process has: it may have died. */
function waitForOther(other: OtherMessage): LaneWait {
  const { holder = 'another process', until } = other;
  const because = `${holder} has a message on its way, and is given up then if it doesn't say what came of that: the row is unknown, and the next one is sent.`;
  return { until, because, other };
}

function pacesOf({ campaigns }: Lane): readonly NamedPace[] {
  return Object.values(campaigns);
}

/**
 * Returns what a message waits for that may go at an instant, or undefined if it may go now.
 * @param now in milliseconds since 1970
 * @param own the campaigns that are to be sent: of those without a common time another one is to give way
 */
export function waitFor(
  { at, why, because = '', zone, clash = [] }: Instant,
  now: number,
  own: readonly string[],
): Extract<LaneEnd, { readonly kind: 'closed' | 'stuck' }> | LaneWait | undefined {
  if (at <= now) return undefined;
  if (at === Number.POSITIVE_INFINITY) {
    const other = clash.find((name) => !own.includes(name)) ?? clash.at(-1) ?? '';
    const hint = remark`Pause one of them until the others are sent: ${command('campaigns', 'pause', other)}`;
    return { kind: 'stuck', because, hint };
  }
  return why === 'gap' ? { until: at, because } : { kind: 'closed', until: at, because, zone };
}
