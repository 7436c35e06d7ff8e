import type { Clock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/errors.ts';
import { isPassing, maxMissing, pauseAfterFailure, withJitter } from '../poll.ts';
import { isEnd, type PairingEvent, type PairingOptions, watchPairing } from './watch-pairing.ts';

/** Options of a pairing in several rounds. */
export interface RoundsOptions extends Omit<PairingOptions, 'round' | 'previousFingerprint'> {
  /** The number of times to start over by itself when all codes have expired. */
  readonly rounds: number;
  readonly renewals: Renewals;
  /**
   * Makes the device show new codes.
   * @param requestedByUser true if a person wants that; otherwise a device that was paired meanwhile is left alone
   */
  startOver(requestedByUser: boolean, signal: AbortSignal): Promise<void>;
}

/** Before each round that begins by itself; the last one stays. */
const pausesMs = [0, 5000, 15_000, 30_000, 60_000] as const;

/** Returns the milliseconds to wait after so many rounds that began by themselves. */
export function pauseBefore(rounds: number, clock: Pick<Clock, 'random'>): number {
  return withJitter(pausesMs[Math.min(rounds, pausesMs.length - 1)] ?? 0, clock);
}

/** Requests of a person for a new code while a pairing is followed. */
export class Renewals {
  #open: AbortController | undefined;

  /** Asks for a new code. Does nothing while one is on its way already. */
  request(): void {
    this.#open?.abort(renewal);
  }

  /** Returns a signal that a request aborts from now on. */
  open(): AbortSignal {
    this.#open = new AbortController();
    return this.#open.signal;
  }

  /** Ignores requests from now on. */
  close(): void {
    this.#open = undefined;
  }
}

/** The reason of a signal that a request aborted. */
const renewal = new Error('a new code was asked for');

/**
 * Watches a pairing round by round: when all codes of a connection have expired, and whenever a person asks,
 * the device is made to show new ones. If that fails and may succeed another time, it is tried again. The
 * timeout bounds it all. What the service refuses is not repeated.
 * @throws Failure if a call fails for good; the reason of the signal if that is aborted
 */
export async function* pairInRounds(options: RoundsOptions): AsyncGenerator<PairingEvent> {
  const { clock, signal, renewals, startedAt = clock.now() } = options;
  let previousFingerprint: string | undefined;
  let { justConnected } = options;
  let ownRounds = 0;
  for (let round = 1; ; round += 1) {
    const asking = renewals.open();
    try {
      const one = {
        signal: AbortSignal.any([signal, asking]),
        startedAt,
        round,
        justConnected,
        previousFingerprint,
        hasAnswered: options.hasAnswered === true || round > 1,
      };
      for await (const event of watchPairing({ ...options, ...one })) {
        if (event.kind === 'code') previousFingerprint = event.code.fingerprint;
        const goesOn = ownRounds < options.rounds || asking.aborted;
        if (event.kind === 'failed' && event.because === 'expired' && goesOn) break;
        yield event;
        if (isEnd(event)) return;
      }
    } catch (error) {
      if (error !== renewal) throw error;
    }

    const requestedByUser = asking.aborted;
    const pause = requestedByUser ? 0 : pauseBefore(ownRounds, clock);
    if (!requestedByUser) ownRounds += 1;
    const next = { round: round + 1, pause, requestedByUser };
    if (!(yield* beginRound(next, { ...options, startedAt }))) return;
    justConnected = true;
  }
}

/** Makes the device show new codes, as often as that takes. Returns false if the time was up first. */
async function* beginRound(
  next: { readonly round: number; readonly pause: number; readonly requestedByUser: boolean },
  options: RoundsOptions & { readonly startedAt: number },
): AsyncGenerator<PairingEvent, boolean> {
  const { round, pause, requestedByUser } = next;
  const { clock, signal, renewals, startedAt, timeout = Number.POSITIVE_INFINITY, startOver } = options;
  const timeLeft = (): number => startedAt + timeout - clock.now();
  const deadline = clock.deadline(timeLeft(), signal);
  let problem: string | undefined;
  try {
    // Open before it is told: a person who reads of the pause may press a key at once.
    const skipPause = renewals.open();
    yield { kind: 'renewing', at: clock.now(), round, pause };
    const isSkipped = await sleepUnlessSkipped(skipPause, Math.min(pause, timeLeft()), clock, signal);
    renewals.close();
    for (let failures = 1; timeLeft() > 0 && !deadline.isOver; failures += 1) {
      try {
        await startOver(requestedByUser || isSkipped, deadline.signal);
        return true;
      } catch (error) {
        signal.throwIfAborted();
        const mayPass = isPassing(error) || (isMissing(error) && failures <= maxMissing);
        if (mayPass) problem = error.message;
        if (deadline.isOver) break;
        if (!mayPass) throw error;
        yield { kind: 'unreachable', at: clock.now(), problem: error.message };
        const rest = withJitter(pauseAfterFailure(error, failures, clock.now()), clock);
        await clock.sleep(Math.max(0, Math.min(rest, timeLeft())), signal);
      }
    }
  } finally {
    deadline.clear();
  }
  yield { kind: 'timeout', at: clock.now(), after: clock.now() - startedAt, problem };
  return false;
}

function isMissing(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'notFound';
}

/** Waits, unless a person asks for the next round at once. Returns true if a person did. */
async function sleepUnlessSkipped(
  skipPause: AbortSignal,
  pause: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (pause > 0) await clock.sleep(pause, AbortSignal.any([signal, skipPause]));
  } catch (error) {
    if (error !== renewal) throw error;
  }
  return skipPause.aborted;
}
