import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { command, type RemarkText, remark } from '../../lib/text/remark.ts';
import type { Device } from '../../resources/devices/device.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { CampaignRow } from '../campaign.ts';
import { cancelledFailure } from '../campaign-failures.ts';
import { withActiveCampaigns } from '../campaign-order.ts';
import {
  type Claim,
  type ClaimOffer,
  type Decision,
  type DeviceQueue,
  type ForeignMessage,
  LeaseExpired,
  type QueueEntry,
} from '../claim.ts';
import { describeOlderData, recordLastSent } from '../last-sent.ts';
import { type NextInstant, nextInstant } from '../pace.ts';
import { resumeQueue, type SendQueue } from '../send-queue.ts';
import type { CampaignStore } from '../store/campaign-store.ts';
import { checkDevice, type DeviceObstacle } from './check-device.ts';
import type { Outcome, ReturnedMessage } from './classify.ts';
import { sendRow } from './send-row.ts';

/** Why sending through a device ended. */
export type SendEnd =
  /** No rows are left to send. */
  | { readonly kind: 'done' }
  /** No message may be sent before `until`. */
  | ({ readonly kind: 'closed' } & SendWait)
  /** The user has paused or cancelled the remaining rows. */
  | { readonly kind: 'paused' | 'cancelled'; readonly because: string }
  /** No message may be sent before the user does something. */
  | {
      readonly kind: 'stuck';
      readonly because: string;
      /** What to do about it. */
      readonly hint?: RemarkText | undefined;
      readonly failure?: Failure | undefined;
    }
  /** The service returned "too many requests" for longer than a run waits. */
  | { readonly kind: 'limited'; readonly because: string; readonly failure: Failure }
  /** A signal ended the command. */
  | { readonly kind: 'stopped'; readonly failure: Failure };

/** The reason why the next message of a device waits, and until when. */
export interface SendWait {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** A sentence. */
  readonly because: string;
  /** What to do about it, unless the wait ends by itself. */
  readonly hint?: RemarkText | undefined;
  /** The IANA name of the time zone, if it waits for a day or a window. */
  readonly zone?: string | undefined;
  /** The message of another process, if it waits for one. */
  readonly other?: ForeignMessage | undefined;
  /** True if the service or the database can't be reached. */
  readonly isAway?: boolean | undefined;
}

/** Dependencies and options shared by all devices of a run. */
export interface RunContext {
  readonly session: ResourceContext;
  readonly store: CampaignStore;
  /**
   * Opens an API that sends each message once, and lets a request in flight finish.
   * @param onLeaving called just before each request is sent, after its connection is made; if it throws, the request
   *   is not sent
   */
  openOnce(onLeaving: () => void): Promise<Api>;
  /** The timeout of a request, in milliseconds. */
  readonly requestTimeout: number;
  /** Whether to wait if no message may be sent before a window, a new day or a repair. */
  readonly waits: boolean;
  /** Called with the reason for each wait of a device, and with undefined when it continues. */
  onWait(sender: DeviceSender, wait: SendWait | undefined): void;
}

/** The age in milliseconds from which a status is read again. */
const statusAgeMs = 60_000;

/** Marks and windows are checked again after this many milliseconds of a wait. */
const longestSleepMs = 60_000;

/** How long rows wait without --wait while the service accepts no messages, in milliseconds. */
const patienceMs = 5 * 60_000;

/** Milliseconds between two checks of a device that can't send. */
const repairPollMs = 30_000;

const firstBackoffMs = 1000;
const longestBackoffMs = 60_000;

/**
 * Sends messages through a device, one at a time: the rows of all campaigns of a run, or a single message that is not a
 * row. The single message follows the pace of its campaign. It does not start the campaign, and does not end a pause of
 * the device.
 */
export class DeviceSender {
  readonly #context: RunContext;
  readonly #queue: DeviceQueue;
  readonly #single: Pick<CampaignRow, 'to' | 'text'> | undefined;
  /**
   * The time at which it started, by this machine's clock, in milliseconds since 1970. A pause from before that ends.
   */
  readonly #begunAt: number;
  /** When the status was read, or undefined if it must be read. */
  #statusReadAt: number | undefined;
  #wasReached = false;
  /** The store's clock minus this machine's clock, in milliseconds. */
  #clockOffset = 0;
  /** Since when the service has accepted no message, and how often one was tried. */
  #refusals: { readonly since: number; readonly times: number } | undefined;
  /** The backoff in progress: no request is sent to the service before it ends. */
  #backoff: (SendWait & { readonly since: number }) | undefined;
  #accepted = 0;
  #singleOutcome: Outcome | undefined;
  #claim: Claim | undefined;

  /** @param single the message to send instead of rows; there must then be one entry, its campaign */
  constructor(
    context: RunContext,
    readonly device: Device,
    readonly entries: readonly QueueEntry[],
    single?: Pick<CampaignRow, 'to' | 'text'>,
  ) {
    this.#context = context;
    this.#single = single;
    this.#begunAt = context.session.clock.now();
    const key = { origin: entries[0]?.campaign.campaign.origin ?? '', device: device.id };
    this.#queue = { key, label: device.label, entries };
  }

  /** The number of messages that the service accepted. */
  get accepted(): number {
    return this.#accepted;
  }

  /** The outcome of the single message; undefined if sending it was never attempted. */
  get singleOutcome(): Outcome | undefined {
    return this.#singleOutcome;
  }

  /**
   * Sends all messages that may be sent. Returns why it ended.
   * @throws Failure if something can't be read or written, and `invalidInput` if the campaign of a single message is
   *   cancelled
   */
  async run(): Promise<SendEnd> {
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

  /** @throws LeaseExpired if the message may no longer be sent, for example because this process was suspended */
  #checkClaim(): void {
    if (!this.#claim || this.#claim.isHeld()) return;
    throw new LeaseExpired();
  }

  /** Sends one message, or waits until it may be sent. */
  async #step(once: Api): Promise<SendEnd | undefined> {
    const { session, store, waits, requestTimeout } = this.#context;
    const { signal, clock } = session;
    signal.throwIfAborted();
    const onHeld = (other: ForeignMessage): void => this.#context.onWait(this, waitForOther(other));
    let next: SendEnd | SendWait | undefined;
    try {
      const claimed = await store.claim(this.#queue, (offer) => this.#decide(offer), {
        ...{ signal, clock, requestTimeout, onHeld },
      });
      if ('claim' in claimed) next = await this.#send(claimed.claim, once);
      else if (claimed.instead === 'look') next = await this.#checkDevice(once);
      else if (claimed.instead === 'over') next = this.#endWhenDone();
      else next = claimed.instead;
    } catch (error) {
      // The database may come back.
      if (!(error instanceof Failure) || error.kind !== 'network') throw error;
      next = this.#backOff(error, undefined, this.now);
      // The database may now be an older copy, so the data is checked again.
      this.#statusReadAt = undefined;
    }
    if (next === undefined) return undefined;
    if ('kind' in next && (next.kind !== 'closed' || !waits)) return next;
    await this.#sleepUntil(next);
    return undefined;
  }

  /** The time of the store's clock, in milliseconds since 1970, from the offset that was last measured. */
  get now(): number {
    return this.#context.session.clock.now() + this.#clockOffset;
  }

  /** Decides whether to send the next message, to wait, to check the device first, or to end. */
  #decide(offer: ClaimOffer): Decision<SendEnd | SendWait | 'look' | 'over'> {
    const { queue: found, now } = offer;
    this.#clockOffset = now - this.#context.session.clock.now();
    const { paused } = found;
    if (!this.#single && paused && paused.at > this.#begunAt + this.#clockOffset && paused.at <= now)
      return { queue: found, instead: { kind: 'stuck', because: paused.because } };
    const { queue, paced, entry } = this.#single ? this.#nextSingle(found) : this.#nextRow(offer);
    if (!entry) return { queue, instead: 'over' };
    const names = this.entries.map(({ campaign: { campaign } }) => campaign.name);
    const instant = nextInstant(Object.values(paced.campaigns), paced, now);
    const wait = waitFor(instant, now, names) ?? this.#activeBackoff(now);
    if (wait) return { queue, instead: wait };
    const isRead = this.#statusReadAt !== undefined && now - this.#statusReadAt < statusAgeMs;
    if (!isRead) return { queue, instead: 'look' };
    return { queue, send: this.#single ? 'test' : 'row' };
  }

  /** Returns the queue to store, the queue whose pace applies, and the campaign that sends next. */
  #nextRow({ queue: found, next, waiting }: ClaimOffer) {
    const queue = withActiveCampaigns(found.paused ? resumeQueue(found) : found, this.entries, waiting);
    return { queue, paced: queue, entry: next?.entry };
  }

  /** Returns the same for a single message. @throws Failure `invalidInput` if its campaign is cancelled */
  #nextSingle(queue: SendQueue) {
    const [entry] = this.entries;
    const { mark, campaign } = entry?.campaign ?? {};
    if (campaign && mark?.state === 'cancelled') throw cancelledFailure(campaign.name);
    return { queue, paced: withActiveCampaigns(queue, this.entries, this.entries), entry };
  }

  #endWhenDone(): SendEnd {
    const marked = this.entries
      .filter(({ campaign, device }) => campaign.mark && campaign.tally(device).planned > 0)
      .map(({ campaign }) => campaign);
    // A campaign that can continue is reported before one that can't.
    const first =
      marked.find((one) => one.obstacle) ?? marked.find((one) => one.mark?.state === 'paused') ?? marked[0];
    if (!first?.mark) return { kind: 'done' };
    const { obstacle, mark, campaign } = first;
    if (obstacle) return { kind: 'stuck', because: obstacle.message, hint: obstacle.hint };
    return { kind: mark.state, because: `Campaign ${campaign.name} was ${mark.state}.` };
  }

  #activeBackoff(now: number): SendWait | undefined {
    const asked = this.#backoff;
    return asked && asked.since <= now && now < asked.until ? asked : undefined;
  }

  /**
   * Checks whether the device can send, with the number that the campaigns expect, and whether their data is up to
   * date.
   */
  async #checkDevice(once: Api): Promise<SendEnd | SendWait | undefined> {
    const { session, store } = this.#context;
    const now = this.now;
    for (const { campaign } of this.#single ? [] : this.entries) {
      const because = await describeOlderData(session.settings.paths.cache, store, campaign);
      if (because !== undefined) return { kind: 'stuck', because };
    }
    let obstacle: DeviceObstacle | undefined;
    try {
      obstacle = await checkDevice({ session, once }, this.device, this.entries, now);
    } catch (error) {
      if (!(error instanceof Failure) || error.isInterruption) throw error;
      // If the service was never reached, that is reported at once; if it was reached before, it may come back.
      const isPassing = error.kind === 'network' || error.kind === 'rateLimited';
      if (isPassing && (this.#wasReached || this.#context.waits)) return this.#backOff(error, undefined, now);
      return { kind: 'stuck', because: error.message, hint: error.hint, failure: error };
    }
    this.#wasReached = true;
    if (obstacle) {
      return obstacle.isOtherNumber
        ? { kind: 'stuck', because: obstacle.because, hint: obstacle.hint }
        : this.#waitForRepair(obstacle, now);
    }
    this.#statusReadAt = now;
    return undefined;
  }

  async #send(claim: Claim, once: Api): Promise<SendEnd | SendWait | undefined> {
    const { session } = this.#context;
    const { entry, row } = claim;
    const message = this.#single ?? row;
    if (!message) throw new TypeError('a row was to be claimed');
    this.#context.onWait(this, undefined);
    this.#claim = claim;
    const outcome = await sendRow({ session, once }, this.device, entry.campaign.campaign, message);
    this.#claim = undefined;
    if (outcome.event === 'accept') this.#accepted += 1;
    // This comes before the outcome is stored: a damaged database can't store it, and a backup of it would send the
    // message again.
    if (row && outcome.event !== 'return')
      recordLastSent(session.settings.paths.cache, entry.campaign, row, new Date(this.now).toISOString());
    // The outcome is returned even if the database can't store it: the message must not be sent again.
    if (this.#single && outcome.event !== 'return') this.#singleOutcome = outcome;
    const { paused } = await claim.settle(outcome);
    if (this.#single) {
      // If this process was suspended, the message was not sent and is claimed again.
      if (outcome.event === 'return' && !claim.isHeld()) return undefined;
      this.#singleOutcome = outcome;
      return { kind: 'done' };
    }
    if (outcome.event === 'return') return this.#afterReturn(outcome, this.now);
    this.#refusals = undefined;
    if (outcome.event === 'lose') this.#statusReadAt = undefined;
    return paused ? { kind: 'stuck', because: paused.because } : undefined;
  }

  #afterReturn({ cause, failure, waitMs }: ReturnedMessage, now: number): SendEnd | SendWait | undefined {
    this.#statusReadAt = undefined;
    if (cause === 'stopped') return { kind: 'stopped', failure };
    const { message: because, hint } = failure;
    if (cause === 'device') return this.#waitForRepair({ because, hint }, now);
    if (cause === 'key') return { kind: 'stuck', because, hint, failure };
    return this.#backOff(failure, waitMs, now);
  }

  /** Waits longer after each refusal, and gives up after a while. */
  #backOff(failure: Failure, asked: number | undefined, now: number): SendEnd | SendWait {
    const { since, times } = this.#refusals ?? { since: now, times: 0 };
    this.#refusals = { since, times: times + 1 };
    const wait = asked ?? Math.min(longestBackoffMs, firstBackoffMs * 2 ** times);
    const because = failure.message;
    // The user is waiting for a single message.
    const patience = this.#single ? 0 : patienceMs;
    if (!this.#context.waits && now + wait - since > patience)
      return failure.kind === 'rateLimited'
        ? { kind: 'limited', because, failure }
        : { kind: 'stuck', because, hint: failure.hint, failure };
    this.#backoff = { since: now, until: now + wait, because, isAway: failure.kind === 'network' };
    return this.#backoff;
  }

  #waitForRepair({ because, hint }: Pick<SendWait, 'because' | 'hint'>, now: number): SendEnd | SendWait {
    this.#statusReadAt = undefined;
    return this.#context.waits
      ? { until: now + repairPollMs, because, hint }
      : { kind: 'stuck', because, hint };
  }

  async #sleepUntil(wait: SendWait): Promise<void> {
    const { clock, signal } = this.#context.session;
    this.#context.onWait(this, wait);
    const time = wait.until - this.now;
    if (time > statusAgeMs) this.#statusReadAt = undefined;
    await clock.sleep(Math.max(0, Math.min(time, longestSleepMs)), signal);
  }
}

/** Returns the wait for a message of another process. That process may have died. */
function waitForOther(other: ForeignMessage): SendWait {
  const { holder = 'another process', until } = other;
  const because = `${holder} has a message in flight. If it reports no result by then, the row becomes unknown and the next one is sent.`;
  return { until, because, other };
}

/**
 * Returns why a message must wait, or undefined if it may be sent now.
 * @param now in milliseconds since 1970
 * @param own the campaigns of this run: if windows never overlap, the hint pauses another campaign
 */
function waitFor(
  { at, why, because = '', zone, clash = [] }: NextInstant,
  now: number,
  own: readonly string[],
): Extract<SendEnd, { readonly kind: 'closed' | 'stuck' }> | SendWait | undefined {
  if (at <= now) return undefined;
  if (at === Number.POSITIVE_INFINITY) {
    const other = clash.find((name) => !own.includes(name)) ?? clash.at(-1) ?? '';
    const hint = remark`Pause one of them until the other is sent: ${command('campaigns', 'pause', other)}`;
    return { kind: 'stuck', because, hint };
  }
  return why === 'gap' ? { until: at, because } : { kind: 'closed', until: at, because, zone };
}
