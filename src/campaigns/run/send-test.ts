import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import type { Device } from '../../resources/devices/device.ts';
import type { CampaignRow } from '../campaign.ts';
import { withOutcome, withoutRequest, withRequest } from '../lane.ts';
import { cancelledCampaign } from '../named.ts';
import { nextInstant, paceOf } from '../pace.ts';
import { type DeviceClaim, LaneChanged, type LaneEntry, type Turn, TurnOver } from '../running.ts';
import { untilWords } from '../until-words.ts';
import type { Outcome } from './classify.ts';
import { lookAtDevice } from './look.ts';
import { type LaneEnd, type LaneWait, type RunContext, statusAgeMs, waitFor } from './run-lane.ts';
import { sendRow } from './send-row.ts';

/** What a message needs that tries a campaign. */
export interface TestContext extends Pick<RunContext, 'session' | 'store' | 'openOnce' | 'requestTimeout'> {
  /** Is told how long the message waits, in milliseconds, and why. */
  onWait(milliseconds: number, because: string): void;
}

/** A message that tries a campaign. */
export interface TestMessage {
  readonly device: Device;
  readonly entry: LaneEntry;
  readonly message: Pick<CampaignRow, 'to' | 'text'>;
}

/** The pause of a device is slept in pieces of so many milliseconds: the campaign may be cancelled meanwhile. */
const longestSleepMs = 60_000;

/**
 * Sends a message that tries a campaign: in the turn of its device, at its pace, and as no row.
 * @throws Failure `notReached` where nothing may go before a window or a new day, or the device can't send; `rejected`,
 * `outcomeUnknown`; `invalidInput` where the campaign is cancelled; what the call ends with where the message was not taken
 */
export async function sendTest(context: TestContext, message: TestMessage): Promise<void> {
  const test = new TestRun(context, message);
  const once = await context.openOnce(() => test.checkClaim());
  try {
    while (!(await test.step(once)));
  } finally {
    await once.close();
  }
}

class TestRun {
  readonly #context: TestContext;
  readonly #message: TestMessage;
  #claim: DeviceClaim | undefined;
  /** When the device was looked at, or undefined if it has to be. */
  #lookedAt: number | undefined;

  constructor(context: TestContext, message: TestMessage) {
    this.#context = context;
    this.#message = message;
  }

  /** @throws TurnOver where the message may not leave any more */
  checkClaim(): void {
    if (this.#claim && !this.#claim.isHeld()) throw new TurnOver();
  }

  /** Sends the message, or waits for what it needs. Returns whether it was sent. */
  async step(once: Api): Promise<boolean> {
    const { session, store, requestTimeout, onWait } = this.#context;
    const { signal, clock } = session;
    const { device, entry } = this.#message;
    signal.throwIfAborted();
    const key = { origin: entry.campaign.campaign.origin, device: device.id };
    const lane = { key, label: device.label, entries: [entry] };
    const turn = await store.turn(lane, { signal, clock, takesOver: false, requestTimeout });
    let next: boolean | LaneWait;
    let now: number;
    try {
      now = turn.now();
      next = await this.#inTurn(turn, once, now);
    } catch (error) {
      if (error instanceof LaneChanged) return false;
      throw error;
    } finally {
      turn.release();
    }
    if (typeof next === 'boolean') return next;
    const time = next.until - now;
    onWait(time, next.because);
    if (time > statusAgeMs) this.#lookedAt = undefined;
    await clock.sleep(Math.min(time, longestSleepMs), signal);
    return false;
  }

  async #inTurn(turn: Turn, once: Api, now: number): Promise<boolean | LaneWait> {
    const { device, entry } = this.#message;
    const { id, campaign, mark } = entry.campaign;
    if (mark?.state === 'cancelled') throw cancelledCampaign(campaign.name);
    const others = Object.entries(turn.lane.campaigns).flatMap(([its, started]) =>
      its === id ? [] : [started],
    );
    const paces = [...others, { name: campaign.name, pace: paceOf(campaign) }];
    const wait = waitFor(nextInstant(paces, turn.lane, now), now, [campaign.name]);
    if (wait && 'kind' in wait) throw notNow(device, wait, now);
    if (wait) return wait;
    if (this.#lookedAt === undefined || now - this.#lookedAt >= statusAgeMs) {
      await this.#look(once, now);
      return false;
    }
    return this.#send(turn, once, now);
  }

  async #look(once: Api, now: number): Promise<void> {
    const { session } = this.#context;
    const { device, entry } = this.#message;
    const obstacle = await lookAtDevice({ session, once }, device, [entry], now);
    if (obstacle) {
      const { because, hint } = obstacle;
      throw new Failure('notReached', `Nothing goes through ${device.label}. ${because}`, { hint });
    }
    this.#lookedAt = now;
  }

  async #send(turn: Turn, once: Api, decided: number): Promise<boolean> {
    const { session } = this.#context;
    const { device, entry, message } = this.#message;
    const before = turn.lane;
    session.signal.throwIfAborted();
    const claim = await turn.claimDevice(withRequest(before, decided));
    if (!claim) return false;
    this.#claim = claim;
    const outcome = await sendRow({ session, once }, device, entry.campaign.campaign, message);
    this.#claim = undefined;
    if (outcome.event === 'return') {
      await turn.settleDevice(withoutRequest(turn.lane, before));
      if (!claim.isHeld()) return false;
      throw notTaken(device, outcome);
    }
    await turn.settleDevice(withOutcome(turn.lane, outcome, turn.now(), session.clock.random()));
    if (outcome.event !== 'accept') throw failureOf(outcome, device, message.to ?? '');
    return true;
  }
}

function notNow(
  { label }: Device,
  end: Extract<LaneEnd, { readonly kind: 'closed' | 'stuck' }>,
  now: number,
): Failure {
  if (end.kind === 'stuck')
    return new Failure('notReached', `Nothing goes through ${label}. ${end.because}`, { hint: end.hint });
  const until = untilWords(end.until, now, end.zone);
  return new Failure('notReached', `Nothing goes through ${label} before ${until}. ${end.because}`, {
    hint: `Nothing was sent. Try it again at ${isoTime(end.until)}.`,
  });
}

function notTaken({ word }: Device, { cause, failure }: Outcome & { readonly event: 'return' }): Failure {
  if (cause !== 'device') return failure;
  return new Failure('notReached', failure.message, {
    hint: failure.hint ?? remark`See what helps: ${command('device', 'status', word)}`,
    cause: failure,
  });
}

function failureOf(
  { event, reason, because }: Outcome & { readonly event: 'reject' | 'lose' },
  { label }: Device,
  to: string,
): Failure {
  if (event === 'reject') return new Failure('rejected', because, { code: reason });
  return new Failure('outcomeUnknown', because, {
    hint: `The message may have been sent: look on the phone of ${label} for +${to}. No row is touched by it.`,
  });
}
