import type { Clock } from '../../../io.ts';
import { isPassing, pauseAfterFailure, spread } from '../polling.ts';
import { type Deadline, deadlineAfter } from './deadline.ts';
import { type PairingEvent, type PairingOptions, watchPairing } from './events.ts';

/** What pairing in several rounds needs beyond watching one. */
export interface RoundsOptions extends Omit<PairingOptions, 'round' | 'begun' | 'spent'> {
  /** How many times to start over by itself when all codes have expired. */
  readonly rounds: number;
  readonly renewals: Renewals;
  /**
   * Makes the device show new codes.
   * @param isAsked whether a person wants that; otherwise a device that was paired meanwhile is left alone
   */
  startOver(isAsked: boolean, signal: AbortSignal): Promise<void>;
}

/** Milliseconds before each round that begins by itself; the last one stays. */
const pauses = [0, 5000, 15_000, 30_000, 60_000] as const;

/** Milliseconds before so many rounds have begun by themselves. */
export function pauseBefore(rounds: number, random: number): number {
  return spread(pauses[Math.min(rounds, pauses.length - 1)] ?? 0, random);
}

/** How a person asks for a new code while a pairing is followed. */
export class Renewals {
  #open: AbortController | undefined;

  /** Asks. While a renewal is on its way already that changes nothing. */
  request(): void {
    this.#open?.abort(renewal);
  }

  /** From now on a request ends the signal. */
  open(): AbortSignal {
    this.#open = new AbortController();
    return this.#open.signal;
  }

  /** From now on requests change nothing. */
  close(): void {
    this.#open = undefined;
  }
}

/** The reason of a signal that a request has ended. */
const renewal = new Error('a new code was asked for');

/**
 * Watches a pairing round by round: when all codes of a connection have expired, and whenever a person asks,
 * the device is made to show new ones. Where that fails and may succeed another time, it is tried again. The
 * timeout bounds it all. What the service refuses is not repeated.
 * @throws Failure, and the signal's reason when it is aborted
 */
export async function* pairInRounds(options: RoundsOptions): AsyncGenerator<PairingEvent> {
  const { clock, signal, renewals, timeout } = options;
  const begun = clock.now();
  let spent: string | undefined;
  let fresh = options.fresh;
  let ownRounds = 0;
  for (let round = 1; ; round += 1) {
    const asking = renewals.open();
    try {
      const watched = { ...options, signal: AbortSignal.any([signal, asking]), begun, round, fresh };
      for await (const event of watchPairing({ ...watched, spent: round > 1 ? spent : undefined })) {
        if (event.kind === 'code') spent = event.code.fingerprint;
        const goesOn = ownRounds < options.rounds || asking.aborted;
        if (event.kind === 'lost' && event.because === 'expired' && goesOn) break;
        yield event;
        if (event.kind === 'connected' || event.kind === 'lost' || event.kind === 'timeout') return;
      }
    } catch (error) {
      if (error !== renewal) throw error;
    }

    const isAsked = asking.aborted;
    const pause = isAsked ? 0 : pauseBefore(ownRounds, options.random());
    if (!isAsked) ownRounds += 1;
    const deadline = deadlineAfter(
      timeout === undefined ? Number.POSITIVE_INFINITY : begun + timeout - clock.now(),
      signal,
    );
    try {
      const hasBegun = yield* beginRound({ round: round + 1, pause, isAsked, begun, deadline }, options);
      if (!hasBegun) return;
    } finally {
      deadline.clear();
    }
    fresh = true;
  }
}

/** A round that is about to begin. */
interface NextRound {
  readonly round: number;
  readonly pause: number;
  /** Whether a person wants it. */
  readonly isAsked: boolean;
  /** When the first round began. */
  readonly begun: number;
  readonly deadline: Deadline;
}

/** Makes the device show new codes, as often as that takes. Gives false where the time was up first. */
async function* beginRound(
  { round, pause, isAsked, begun, deadline }: NextRound,
  { clock, signal, renewals, timeout, random, startOver }: RoundsOptions,
): AsyncGenerator<PairingEvent, boolean> {
  const timeLeft = (): number =>
    timeout === undefined ? Number.POSITIVE_INFINITY : begun + timeout - clock.now();
  // Open before it is told: whoever reads of the pause may press a key at once.
  const hurry = renewals.open();
  yield { kind: 'renewing', at: clock.now(), round, pause };
  const isHurried = await waitFor(Math.min(pause, timeLeft()), clock, signal, hurry);
  renewals.close();
  for (let failures = 1; timeLeft() > 0 && !deadline.isOver; failures += 1) {
    try {
      await startOver(isAsked || isHurried, deadline.signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.isOver) break;
      if (!isPassing(error)) throw error;
      yield { kind: 'unreachable', at: clock.now(), problem: error.message };
      const rest = spread(pauseAfterFailure(error, failures, clock.now()), random());
      await clock.sleep(Math.max(0, Math.min(rest, timeLeft())), signal);
    }
  }
  yield { kind: 'timeout', at: clock.now(), after: clock.now() - begun };
  return false;
}

/** Waits, unless a person asks for the next round at once. Gives whether somebody did. */
async function waitFor(
  pause: number,
  clock: Clock,
  signal: AbortSignal,
  hurry: AbortSignal,
): Promise<boolean> {
  try {
    if (pause > 0) await clock.sleep(pause, AbortSignal.any([signal, hurry]));
  } catch (error) {
    if (error !== renewal) throw error;
  }
  return hurry.aborted;
}
