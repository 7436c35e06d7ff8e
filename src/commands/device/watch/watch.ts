import { Failure, type FailureKind } from '../../../errors.ts';
import type { Clock } from '../../../io.ts';
import type { Device } from '../device.ts';
import { pauseAskedBy } from '../polling.ts';
import { reasonOf, type StatusView, stateOf } from '../state.ts';
import { type Verdict, type VerdictState, verdictOf } from '../verdict.ts';
import { phoneOf } from '../words.ts';
import type { Goal } from './goal.ts';

/** Something that changed while devices are watched. Times are milliseconds since 1970. */
export type WatchEvent = { readonly at: number } & (
  | {
      readonly kind: 'state';
      readonly device: Device;
      readonly verdict: Verdict;
      readonly view: StatusView;
      /** Undefined for the first one. */
      readonly was: VerdictState | undefined;
    }
  /** A status read failed; the next one follows, unless the device isn't there. */
  | {
      readonly kind: 'unreachable';
      readonly device: Device;
      readonly problem: string;
      readonly isGone: boolean;
    }
  /** These three end it. `missing`: those that have not come as far as was waited for. */
  | { readonly kind: 'reached' }
  | { readonly kind: 'lost'; readonly reason: string; readonly missing: readonly Device[] }
  | { readonly kind: 'timeout'; readonly after: number; readonly missing: readonly Device[] }
);

/** What watching needs. */
export interface WatchOptions {
  /** Reads the status. */
  read(device: Device, signal: AbortSignal): Promise<StatusView>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends when all devices are there; never where not given. */
  readonly until: Goal | undefined;
  /** Milliseconds; for ever where not given. */
  readonly timeout: number | undefined;
  /** Requests a second, all devices together. */
  readonly maxRps: number | undefined;
  /** Gives a number from 0 to 1, 1 excluded. */
  random(): number;
}

/** Reads at the same time: one that hangs should not hold up the others. */
const mostAtOnce = 4;

/** Requests a second where no limit was given. */
const usualRps = 5;

/** Milliseconds between two reads of a device. It is read less often the longer it stays as it is. */
const shortestPause = 1000;
const longestPause = 30_000;
/** A pause is this part of the time for which a device stays as it is. */
const steadiness = 0.1;
/** While something is due to happen, such as a scan, no pause is longer. */
const livelyPause = 2000;
const lively: ReadonlySet<VerdictState> = new Set(['starting', 'waiting', 'connecting']);

/** A pause is up to this part longer or shorter, so that many devices spread. */
const jitter = 0.2;

/** Milliseconds for which nothing is read after a 429 that names no time; doubled each time. */
const firstHold = 2000;
const longestHold = 60_000;

/** Just after a scan a session is up for a moment, down, and up again: so long it has to stay up. */
const proofTime = 1500;

/** The longest that a timer takes. */
const longestSleep = 2 ** 31 - 1;

/**
 * Watches devices until all have come as far as is waited for, or the time is up. Gives an event for each
 * change, and none while nothing changes. Each device gets one look, however short the time is.
 * @param devices one at least
 * @throws Failure where the service refuses to answer at all, and the signal's reason when it is aborted
 */
export async function* watchDevices(
  devices: readonly Device[],
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { clock, until, timeout = Number.POSITIVE_INFINITY } = options;
  const begun = clock.now();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const pace = new Pace(devices.length, options);
  const all = devices.map((device) => new Watched(device, begun));
  const reading = new Map<Watched, Promise<Look>>();
  const idle = (): readonly Watched[] =>
    all.filter((watched) => !watched.isGone && !reading.has(watched)).sort((a, b) => a.due - b.due);
  try {
    for (;;) {
      for (const watched of idle()) {
        if (reading.size >= mostAtOnce || pace.from(watched.due) > clock.now()) break;
        reading.set(watched, look(watched, options, signal));
      }
      const isLookedAt = all.every((watched) => watched.isLookedAt);
      const deadline = isLookedAt ? begun + timeout : Number.POSITIVE_INFINITY;
      const [next] = reading.size < mostAtOnce ? idle() : [];
      const wake = Math.min(deadline, next ? pace.from(next.due) : Number.POSITIVE_INFINITY);
      const came = await firstOf([...reading.values()], wake, options);
      if (came) {
        const { watched } = came;
        reading.delete(watched);
        const event = watched.take(came, clock.now());
        pace.learn(came, clock.now());
        watched.due = pace.next(watched, clock.now());
        if (event) yield event;
        if ('failure' in came && !isBearable(came.failure)) {
          yield { kind: 'lost', at: clock.now(), reason: came.failure.message, missing: devices };
          throw came.failure;
        }
      }
      const at = clock.now();
      const missing = until === undefined ? [] : all.filter((watched) => !watched.isAt(until, at));
      if (until !== undefined && missing.length === 0) {
        yield { kind: 'reached', at };
        return;
      }
      const missed = missing.map(({ device }) => device);
      const left = until === undefined ? all : missing;
      if (left.every(({ isGone }) => isGone)) {
        const them = left.length === 1 ? 'it' : 'them';
        yield { kind: 'lost', at, reason: `The service does not have ${them}.`, missing: missed };
        return;
      }
      if (at >= deadline) {
        yield { kind: 'timeout', at, after: at - begun, missing: missed };
        return;
      }
    }
  } finally {
    stop.abort();
    await Promise.allSettled(reading.values());
  }
}

/** Whether to go on where the read of a device failed: whoever isn't let in needn't ask for another one. */
function isBearable(failure: Failure): boolean {
  return bearable.has(failure.kind);
}

const bearable: ReadonlySet<FailureKind> = new Set(['network', 'rateLimited', 'rejected', 'notFound']);

/** What came of a status read. */
type Look = { readonly watched: Watched } & ({ readonly view: StatusView } | { readonly failure: Failure });

async function look(watched: Watched, { read }: WatchOptions, signal: AbortSignal): Promise<Look> {
  try {
    return { watched, view: await read(watched.device, signal) };
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    return { watched, failure: error };
  }
}

/** The first of several reads that is there; undefined where it is time to wake up first. */
async function firstOf(
  reads: readonly Promise<Look>[],
  wake: number,
  { clock, signal }: WatchOptions,
): Promise<Look | undefined> {
  if (wake === Number.POSITIVE_INFINITY) return Promise.race(reads);
  const awake = new AbortController();
  const stopSleep = (): void => awake.abort(signal.reason);
  signal.addEventListener('abort', stopSleep, { once: true });
  if (signal.aborted) stopSleep();
  const pause = Math.min(Math.max(0, wake - clock.now()), longestSleep);
  const sleep = clock.sleep(pause, awake.signal).then(() => undefined);
  try {
    return await Promise.race([...reads, sleep]);
  } finally {
    signal.removeEventListener('abort', stopSleep);
    awake.abort();
    await sleep.catch(() => undefined);
  }
}

/** A device, and what has been seen of it. */
class Watched {
  readonly device: Device;
  /** When to look next. */
  due: number;
  isLookedAt = false;
  /** The service doesn't have it: there is nothing to look at. */
  isGone = false;
  /** Reads that failed since the last one that didn't. */
  failures = 0;
  /** When it came to be as it is, as far as that was seen. */
  since: number;
  verdict: Verdict | undefined;
  #view: StatusView | undefined;
  #words: string | undefined;
  #hasBeenPaired = false;
  #readySince: number | undefined;

  constructor(device: Device, now: number) {
    this.device = device;
    this.due = now;
    this.since = now;
  }

  /** Takes in what came of a read. Gives the event, where something changed. */
  take(came: Look, at: number): WatchEvent | undefined {
    this.isLookedAt = true;
    return 'failure' in came ? this.#fail(came.failure, at) : this.#see(came.view, at);
  }

  #fail(failure: Failure, at: number): WatchEvent | undefined {
    this.failures += 1;
    this.isGone = failure.kind === 'notFound';
    if (!isBearable(failure)) return undefined;
    if (!this.#isNew('unreachable', at)) return undefined;
    return { kind: 'unreachable', at, device: this.device, problem: failure.message, isGone: this.isGone };
  }

  #see(view: StatusView, at: number): WatchEvent | undefined {
    this.failures = 0;
    const was = this.verdict?.state;
    this.verdict = verdictOf(view, this.device, at);
    const isFirst = this.#view === undefined;
    this.#view = view;
    const state = stateOf(view);
    this.#hasBeenPaired ||= state === 'ready' || state === 'reconnecting';
    // One that was ready all along has nothing to prove.
    if (state !== 'ready') this.#readySince = undefined;
    else this.#readySince ??= isFirst ? Number.NEGATIVE_INFINITY : at;
    const phone = phoneOf(view.phone_number);
    const words = JSON.stringify([this.verdict.state, view.status, phone, reasonOf(view)]);
    if (!this.#isNew(words, at)) return undefined;
    return { kind: 'state', at, device: this.device, verdict: this.verdict, view, was };
  }

  #isNew(words: string, at: number): boolean {
    if (this.#words === words) return false;
    this.#words = words;
    this.since = at;
    return true;
  }

  /** Whether it has come as far as is waited for; of one that can't be read nobody knows. */
  isAt(goal: Goal, at: number): boolean {
    if (this.failures > 0 || !this.#view || !this.verdict) return false;
    switch (goal) {
      case 'ready':
        return this.#readySince !== undefined && at - this.#readySince >= proofTime;
      case 'stopped':
        return stateOf(this.#view) === 'stopped';
      case 'lost':
        return (
          lostStates.has(this.verdict.state) || (this.#hasBeenPaired && this.verdict.state === 'waiting')
        );
    }
  }
}

const lostStates: ReadonlySet<VerdictState> = new Set([
  'never_connected',
  'stopped',
  'unlinked',
  'taken_over',
  'blocked',
]);

/** How often devices are read. */
class Pace {
  readonly #random: () => number;
  /** Milliseconds between two reads of the same device that the limit leaves. */
  readonly #leastPause: number;
  #heldUntil = 0;
  #holds = 0;

  constructor(count: number, { maxRps = usualRps, random }: WatchOptions) {
    this.#random = random;
    this.#leastPause = (count * 1000) / maxRps;
  }

  /** The moment from which something that is due may be done. */
  from(due: number): number {
    return Math.max(due, this.#heldUntil);
  }

  /** Holds everything where the service asks for fewer requests. */
  learn(came: Look, now: number): void {
    if (!('failure' in came)) {
      this.#holds = 0;
    } else if (came.failure.kind === 'rateLimited') {
      // Those that were on their way together are one refusal.
      if (now >= this.#heldUntil) {
        this.#heldUntil = now + Math.min(firstHold * 2 ** this.#holds, longestHold);
        this.#holds += 1;
      }
      this.#heldUntil = Math.max(this.#heldUntil, now + pauseAskedBy(came.failure, now));
    }
  }

  /** When to look at a device again. */
  next(watched: Watched, now: number): number {
    const pause = Math.max(pauseFor(watched, now), this.#leastPause);
    return now + Math.round(pause * (1 + jitter * (2 * this.#random() - 1)));
  }
}

function pauseFor({ verdict, failures, since }: Watched, now: number): number {
  if (failures > 0) return Math.min(shortestPause * 2 ** failures, longestPause);
  const longest = verdict && lively.has(verdict.state) ? livelyPause : longestPause;
  return Math.min(Math.max(shortestPause, (now - since) * steadiness), longest);
}
