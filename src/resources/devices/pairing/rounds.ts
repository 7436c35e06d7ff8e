import type { Clock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/errors.ts';
import { isPassing, maxMissing, pauseAfterFailure, withJitter } from '../poll.ts';
import { isEnd, type PairingEvent, type PairingOptions, watchPairing } from './watch-pairing.ts';

/** Options of a pairing in several rounds. */
export interface RoundsOptions extends Omit<PairingOptions, 'round' | 'previousFingerprint'> {
  /** How often to start over automatically when all codes have expired. */
  readonly rounds: number;
  readonly renewals: Renewals;
  /**
   * Makes the device show new codes.
   * @param requestedByUser true if the user asked for it; otherwise a device that was paired meanwhile is not changed
   */
  startOver(requestedByUser: boolean, signal: AbortSignal): Promise<void>;
}

/** Before each automatic round; the last value repeats. */
const pausesMs = [0, 5000, 15_000, 30_000, 60_000] as const;

/** Returns the milliseconds to wait after a number of automatic rounds. */
export function pauseBefore(rounds: number, clock: Pick<Clock, 'random'>): number {
  return withJitter(pausesMs[Math.min(rounds, pausesMs.length - 1)] ?? 0, clock);
}

/** The user's requests for a new code during a pairing. */
export class Renewals {
  #open: AbortController | undefined;

  /** Requests a new code. Does nothing while one is already on its way. */
  request(): void {
    this.#open?.abort(renewal);
  }

  /** Returns a signal that the next request aborts. */
  open(): AbortSignal {
    this.#open = new AbortController();
    return this.#open.signal;
  }

  /** Ignores requests from now on. */
  close(): void {
    this.#open = undefined;
  }
}

/** The reason with which `Renewals.request` aborts the signal of `open`. */
const renewal = new Error('a new code was asked for');

/**
 * Watches a pairing round by round: when all codes of a connection have expired, and whenever the user asks,
 * requests new ones. If that fails and may succeed later, it is tried again, until the
 * timeout. A refusal by the service is final.
 * @throws Failure if a call fails for good; the reason of the signal if it is aborted
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

/** Makes the device show new codes, with as many attempts as needed. Returns false if the time was up first. */
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
    // Opened before the event: a user who reads of the pause may press a key at once.
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

/** Waits, unless the user asks for the next round. Returns whether the user did. */
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
