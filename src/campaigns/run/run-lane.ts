import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { command, type RemarkText, remark } from '../../lib/text/remark.ts';
import type { Device } from '../../resources/devices/device.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { goingOn } from '../lane.ts';
import { olderData, recordLastSent } from '../last-sent.ts';
import type { Instant } from '../pace.ts';
import {
  type Claim,
  type Decision,
  type LaneEntry,
  type LaneOfRun,
  type Offer,
  type OtherMessage,
  TurnOver,
} from '../running.ts';
import type { CampaignStore } from '../store/campaign-store.ts';
import { nextTurn, withStarted } from '../turns.ts';
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
  /** True if the service or the database can't be reached. */
  readonly isAway?: boolean | undefined;
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
    const { session, store, waits, requestTimeout } = this.#context;
    const { signal, clock } = session;
    signal.throwIfAborted();
    const onHeld = (other: OtherMessage): void => this.#context.onWait(this, waitForOther(other));
    let next: LaneEnd | LaneWait | undefined;
    try {
      const claimed = await store.claim(this.#lane, (offer) => this.#decide(offer), {
        ...{ signal, clock, requestTimeout, onHeld },
      });
      if ('claim' in claimed) next = await this.#send(claimed.claim, once);
      else if (claimed.instead === 'look') next = await this.#look(once);
      else if (claimed.instead === 'over') next = this.#over();
      else next = claimed.instead;
    } catch (error) {
      // A database that is away comes back; nothing is known of the device until then.
      if (!(error instanceof Failure) || error.kind !== 'network') throw error;
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

  /** Decides to send the next row, to wait, to look at the device first, or that nothing is left. */
  #decide({ lane: found, now, next, waiting }: Offer): Decision<LaneEnd | LaneWait | 'look' | 'over'> {
    this.#shift = now - this.#context.session.clock.now();
    const { paused } = found;
    if (paused && paused.at > this.#begunAt + this.#shift && paused.at <= now)
      return { lane: found, instead: { kind: 'stuck', because: paused.because } };
    const lane = withStarted(paused ? goingOn(found) : found, this.entries, waiting);
    if (!next) return { lane, instead: 'over' };
    const names = this.entries.map(({ campaign: { campaign } }) => campaign.name);
    const wait =
      waitFor(nextTurn(lane, this.entries, next.entry, now), now, names) ?? this.#stillBackedOff(now);
    if (wait) return { lane, instead: wait };
    const isRead = this.#readAt !== undefined && now - this.#readAt < statusAgeMs;
    return isRead ? { lane, send: 'row' } : { lane, instead: 'look' };
  }

  #over(): LaneEnd {
    const marked = this.entries
      .filter(({ campaign, device }) => campaign.mark && campaign.tally(device).planned > 0)
      .map(({ campaign }) => campaign);
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
  async #look(once: Api): Promise<LaneEnd | LaneWait | undefined> {
    const { session, store } = this.#context;
    const now = this.#now();
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

  async #send(claim: Claim, once: Api): Promise<LaneEnd | LaneWait | undefined> {
    const { session } = this.#context;
    const { entry, row } = claim;
    if (!row) throw new TypeError('a row was to be claimed');
    this.#context.onWait(this, undefined);
    this.#claim = claim;
    const outcome = await sendRow({ session, once }, this.device, entry.campaign.campaign, row);
    this.#claim = undefined;
    if (outcome.event === 'accept') this.#accepted += 1;
    // First, since a database that is damaged never takes the outcome: a backup of it would send the message again.
    if (outcome.event !== 'return')
      recordLastSent(session.settings.paths.cache, entry.campaign, row, new Date(this.#now()).toISOString());
    const { paused } = await claim.settle(outcome);
    if (outcome.event === 'return') return this.#afterReturn(outcome, this.#now());
    this.#refused = undefined;
    if (outcome.event === 'lose') this.#readAt = undefined;
    return paused ? { kind: 'stuck', because: paused.because } : undefined;
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
    this.#backedOff = { since: now, until: now + wait, because, isAway: failure.kind === 'network' };
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
