import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import type { Device } from '../../resources/devices/device.ts';
import type { CampaignRow } from '../campaign.ts';
import { cancelledCampaign } from '../named.ts';
import { nextInstant, paceOf } from '../pace.ts';
import { type Claim, type Decision, type LaneEntry, type Offer, TurnOver } from '../running.ts';
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
  #claim: Claim | undefined;
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
    const claimed = await store.claim(lane, (offer) => this.#decide(offer), {
      ...{ signal, clock, requestTimeout },
    });
    if ('claim' in claimed) return this.#send(claimed.claim, once);
    const { wait, now } = claimed.instead;
    if (!wait) {
      await this.#look(once, now);
      return false;
    }
    const time = wait.until - now;
    onWait(time, wait.because);
    if (time > statusAgeMs) this.#lookedAt = undefined;
    await clock.sleep(Math.min(time, longestSleepMs), signal);
    return false;
  }

  /** Decides to send the message, to wait, or to look at the device. */
  #decide({ lane, now }: Offer): Decision<{ readonly wait?: LaneWait; readonly now: number }> {
    const { device, entry } = this.#message;
    const { id, campaign, mark } = entry.campaign;
    if (mark?.state === 'cancelled') throw cancelledCampaign(campaign.name);
    const others = Object.entries(lane.campaigns).flatMap(([its, started]) => (its === id ? [] : [started]));
    const paces = [...others, { name: campaign.name, pace: paceOf(campaign) }];
    const wait = waitFor(nextInstant(paces, lane, now), now, [campaign.name]);
    if (wait && 'kind' in wait) throw notNow(device, wait, now);
    if (wait) return { lane, instead: { wait, now } };
    const isLookedAt = this.#lookedAt !== undefined && now - this.#lookedAt < statusAgeMs;
    return isLookedAt ? { lane, send: 'test' } : { lane, instead: { now } };
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

  async #send(claim: Claim, once: Api): Promise<boolean> {
    const { session } = this.#context;
    const { device, entry, message } = this.#message;
    this.#claim = claim;
    const outcome = await sendRow({ session, once }, device, entry.campaign.campaign, message);
    this.#claim = undefined;
    await claim.settle(outcome);
    if (outcome.event === 'return') {
      if (!claim.isHeld()) return false;
      throw notTaken(device, outcome);
    }
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
