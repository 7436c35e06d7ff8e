import { deadlineAfter } from './deadline.ts';
import { isPassing, type PairingEvent, type PairingOptions, watchPairing } from './events.ts';

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
  /** Gives a number from 0 to 1, 1 excluded. */
  random(): number;
}

/** Milliseconds before each round that begins by itself; the last one stays. */
const pauses = [0, 5000, 15_000, 30_000, 60_000] as const;

/** A pause is up to this part longer, so that many who wait don't come back at once. */
const jitter = 0.2;

/** Milliseconds before so many rounds have begun by themselves. */
export function pauseBefore(rounds: number, random: number): number {
  const pause = pauses[Math.min(rounds, pauses.length - 1)] ?? 0;
  return Math.round(pause * (1 + jitter * random));
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
 * the device is made to show new ones. The timeout bounds it all. What the service refuses is not repeated:
 * a round begins anew only where the network failed, and such rounds count.
 * @throws Failure, and the signal's reason when it is aborted
 */
export async function* pairInRounds(options: RoundsOptions): AsyncGenerator<PairingEvent> {
  const { clock, signal, renewals, timeout } = options;
  const begun = clock.now();
  const timeLeft = (): number =>
    timeout === undefined ? Number.POSITIVE_INFINITY : begun + timeout - clock.now();
  let spent: string | undefined;
  let fresh = options.fresh;
  let ownRounds = 0;
  for (let round = 1; ; round += 1) {
    const asking = renewals.open();
    let isAsked = false;
    try {
      const watched = { ...options, signal: AbortSignal.any([signal, asking]), begun, round, fresh };
      for await (const event of watchPairing({ ...watched, spent: round > 1 ? spent : undefined })) {
        if (event.kind === 'code') spent = event.code.fingerprint;
        if (event.kind === 'lost' && event.because === 'expired' && ownRounds < options.rounds) break;
        yield event;
        if (event.kind === 'connected' || event.kind === 'lost' || event.kind === 'timeout') return;
      }
    } catch (error) {
      if (error !== renewal) throw error;
      isAsked = true;
    }

    for (let hasBegun = false; !hasBegun; ) {
      const pause = isAsked ? 0 : pauseBefore(ownRounds, options.random());
      if (!isAsked) ownRounds += 1;
      yield { kind: 'renewing', at: clock.now(), round: round + 1, pause };
      const waited = await waitFor(Math.min(pause, timeLeft()), options);
      isAsked ||= waited === 'asked';
      renewals.close();
      if (timeLeft() <= 0) {
        yield { kind: 'timeout', at: clock.now(), after: clock.now() - begun };
        return;
      }
      const deadline = deadlineAfter(timeLeft(), signal);
      try {
        await options.startOver(isAsked, deadline.signal);
        hasBegun = true;
      } catch (error) {
        signal.throwIfAborted();
        if (deadline.isOver) {
          yield { kind: 'timeout', at: clock.now(), after: clock.now() - begun };
          return;
        }
        const mayRepeat = isPassing(error) && error.kind === 'network' && ownRounds < options.rounds;
        if (!mayRepeat) throw error;
        yield { kind: 'unreachable', at: clock.now(), problem: error.message };
        isAsked = false;
      } finally {
        deadline.clear();
      }
    }
    fresh = true;
  }
}

/** Waits, unless a person asks for the next round at once. */
async function waitFor(
  pause: number,
  { clock, signal, renewals }: RoundsOptions,
): Promise<'waited' | 'asked'> {
  if (pause <= 0) return 'waited';
  try {
    await clock.sleep(pause, AbortSignal.any([signal, renewals.open()]));
    return 'waited';
  } catch (error) {
    if (error !== renewal) throw error;
    return 'asked';
  }
}
