import { setMaxListeners } from 'node:events';
import type { Clock } from '../../../lib/clock.ts';
import { Failure, type FailureKind } from '../../../lib/errors.ts';
import type { CommandLine } from '../../../lib/text/remark.ts';
import { Scan } from '../connection-times.ts';
import type { Device } from '../device.ts';
import { type StateName, stateOf } from '../device-state.ts';
import type { DeviceStatus } from '../device-status.ts';
import type { DiagnosedState, FailedBecause, Goal } from '../device-words.ts';
import { type Diagnosis, diagnose } from '../diagnosis.ts';
import { maxMissing, type PollResult, poll } from '../poll.ts';
import { isCurrentRefusal } from '../refusal.ts';
import { News } from './news.ts';
import { ReadTurns } from './read-turns.ts';
import type { ReadingSource, SharedWatch } from './shared-watch.ts';

/** Something that changed while devices are watched. Times are milliseconds since 1970. */
export type WatchEvent = { readonly at: number } & (
  | {
      readonly kind: 'state';
      readonly device: Device;
      readonly diagnosis: Diagnosis;
      readonly status: DeviceStatus;
      /** Undefined for the first one. */
      readonly was: DiagnosedState | undefined;
    }
  /** A status read failed; the next one follows, unless the device isn't there. */
  | {
      readonly kind: 'unreachable';
      readonly device: Device;
      readonly problem: string;
      /** The service doesn't have it. */
      readonly isGone: boolean;
      /** Undefined if no read before has shown one. */
      readonly was?: DiagnosedState | undefined;
    }
  /** The device book has it now, or does not have it any more. */
  | { readonly kind: 'added'; readonly device: Device }
  | { readonly kind: 'forgotten'; readonly device: Device }
  /** These three end it. `missing`: those that have not come as far as was waited for. */
  | { readonly kind: 'reached' }
  | {
      readonly kind: 'failed';
      readonly because: Extract<FailedBecause, 'not_found' | 'error'>;
      readonly reason: string;
      readonly missing: readonly Device[];
    }
  | { readonly kind: 'timeout'; readonly after: number; readonly missing: readonly Device[] }
);

/** A change of the state that another read, a moment later, has confirmed. The first state of a device is no change. */
export interface ConfirmedChange {
  readonly kind: 'changed';
  readonly at: number;
  readonly device: Device;
  readonly diagnosis: Diagnosis;
  readonly status: DeviceStatus;
  /** The state before that was confirmed, or the first one. */
  readonly was: DiagnosedState;
  /** A UUID that all watchers of a desk have for it; undefined if this watch has read it by itself. */
  readonly id?: string | undefined;
}

/** Devices that are watched from now on, new names, and ids of devices that are not watched any more. */
export interface DeviceChanges {
  readonly added: readonly Device[];
  readonly renamed: readonly Pick<Device, 'id' | 'name' | 'label' | 'word'>[];
  readonly forgotten: ReadonlySet<string>;
}

/** Options of watching devices. */
export interface WatchOptions {
  /** Reads the status. */
  read(device: Device, signal: AbortSignal): Promise<DeviceStatus>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends when all devices are in this state; never if not given. */
  readonly until: Goal | undefined;
  /** Milliseconds, or undefined for no end. */
  readonly timeout: number | undefined;
  /** Requests a second, all devices together. */
  readonly maxRps: number | undefined;
  /** Milliseconds between two reads of a device; if undefined, it is read less often the longer it stays as it is. */
  readonly everyMs?: number | undefined;
  /**
   * Milliseconds after which a change of the state is confirmed by another read, and told as `changed`. If undefined, changes are
   * told as they are seen alone.
   */
  readonly confirmMs?: number | undefined;
  /** Yields devices that are added, renamed or forgotten in the meantime, until the signal is aborted. */
  readonly changes?: ((signal: AbortSignal) => AsyncIterable<DeviceChanges>) | undefined;
  /**
   * Is called for each device that has another name now.
   * @param next the command that leads on from its state, with that name; undefined if there is none
   */
  onRenamed?(device: Device, next: CommandLine | undefined): void;
  /** The readings of the other watchers of a desk. */
  readonly shared?: SharedWatch | undefined;
  /** Is called for each reading, with what the desk says of it. */
  onShared?(device: Device, source: ReadingSource | undefined): void;
}

/** Requests a second if no limit is given. */
export const usualRps = 5;

/** The end of a watch waits so long for changes to be confirmed. */
const maxConfirmMs = 10_000;

/** Between two reads of a device. It is read less often the longer it stays as it is. */
const minPauseMs = 1000;
const maxPauseMs = 30_000;
/** A pause is this part of the time for which a device stays as it is. */
const pauseFactor = 0.1;
/** While something is due to happen, such as a scan, no pause is longer. */
const activePauseMs = 2000;
const activeStates: ReadonlySet<DiagnosedState> = new Set(['starting', 'waiting', 'connecting']);

/**
 * Watches devices until all have come as far as is waited for, or the time is up. Yields an event for each
 * change, and none while nothing changes. Each device gets one look, however short the time is.
 * @param devices one at least
 * @throws Failure if the service refuses to answer at all; the reason of the signal if that is aborted
 */
export async function* watchDevices(
  devices: readonly Device[],
  options: WatchOptions,
): AsyncGenerator<WatchEvent | ConfirmedChange> {
  const { clock, until, timeout = Number.POSITIVE_INFINITY, maxRps = usualRps } = options;
  const { confirmMs, everyMs } = options;
  const begun = clock.now();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  // Each device listens to it. Node takes more than ten listeners of a combined signal for a leak, and says so on stderr.
  setMaxListeners(0, signal);
  const turns = new ReadTurns(clock);
  const all = devices.map((device) => new Watched(device, begun));
  const byId = new Map(all.map((watched) => [watched.device.id, watched]));
  /** Milliseconds until the read that confirms a change. If many devices change at once, they take turns. */
  const confirmPauseMs = (): number =>
    Math.max(confirmMs ?? 0, (all.filter(({ isUnconfirmed }) => isUnconfirmed).length * 1000) / maxRps);
  const news = new News<WatchEvent | ConfirmedChange>();
  /** Processes the result of a read. Returns true if the device is gone. */
  const takeIn = (watched: Watched, result: PollResult<DeviceStatus>, source?: ReadingSource): boolean => {
    // A read may end after its device was forgotten.
    if (byId.get(watched.device.id) !== watched) return true;
    const at = clock.now();
    options.onShared?.(watched.device, source);
    news.add(watched.take(result, at));
    if (confirmMs !== undefined && 'value' in result)
      news.add(watched.confirm(result.value, at, confirmMs, source));
    return watched.isGone;
  };
  /** Reads the status of one device until it is gone or the signal is aborted. */
  const follow = async (watched: Watched): Promise<void> => {
    const own = AbortSignal.any([signal, watched.forgotten.signal]);
    try {
      await readOn(watched, own);
    } catch (error) {
      if (!watched.forgotten.signal.aborted) throw error;
    }
  };
  const readOn = async (watched: Watched, own: AbortSignal): Promise<void> => {
    const results = poll((until) => turns.run(() => options.read(watched.device, until), until), {
      clock,
      signal: own,
      timeoutMs: Number.POSITIVE_INFINITY,
      pauseMs: () => (watched.isUnconfirmed ? confirmPauseMs() : (everyMs ?? pauseFor(watched, clock.now()))),
      minPauseMs: () => (watched.isUnconfirmed ? 0 : fairPauseMs(all.length, maxRps)),
      isExact: everyMs !== undefined,
      mayPass: ({ kind }) => recoverable.has(kind),
    });
    for await (const result of results) {
      turns.learn(result);
      if (takeIn(watched, result)) return;
    }
  };
  /** Takes the readings of all watchers of a desk. */
  const followShared = async (shared: SharedWatch): Promise<void> => {
    const left = () => all.filter(({ isGone }) => !isGone).map(({ device }) => device);
    await shared.follow(left, {
      read: options.read,
      turns,
      signal,
      get intervalMs() {
        return Math.max(everyMs ?? sharedPauseMs, fairPauseMs(all.length, maxRps));
      },
      maxRps,
      mayPass: ({ kind }) => recoverable.has(kind),
      onReading(device, result, source) {
        const watched = byId.get(device.id);
        if (watched) takeIn(watched, result, source);
      },
    });
  };
  const polls: Promise<void>[] = [];
  const begin = (reading: Promise<void>): void => {
    polls.push(reading.catch((error: unknown) => news.fail(error)));
  };
  /** Takes in devices that are added in the meantime, and new names, and leaves out devices that are forgotten. */
  const followChanges = async (changes: AsyncIterable<DeviceChanges>): Promise<void> => {
    for await (const { added, renamed, forgotten } of changes) {
      const at = clock.now();
      for (const names of renamed) {
        const watched = byId.get(names.id);
        if (!watched) continue;
        const next = watched.rename(names, at);
        options.onRenamed?.(watched.device, next);
      }
      for (const watched of all.filter(({ device }) => forgotten.has(device.id))) {
        all.splice(all.indexOf(watched), 1);
        byId.delete(watched.device.id);
        watched.forgotten.abort();
        news.add({ kind: 'forgotten', at, device: watched.device });
      }
      for (const device of added) {
        const watched = new Watched(device, at);
        all.push(watched);
        byId.set(device.id, watched);
        news.add({ kind: 'added', at, device });
        if (!options.shared) begin(follow(watched));
      }
    }
  };
  if (options.shared) begin(followShared(options.shared));
  else all.map(follow).forEach(begin);
  if (options.changes)
    begin(
      followChanges(options.changes(signal)).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      }),
    );
  let end: WatchEvent | undefined;
  try {
    for (;;) {
      yield* news.take();
      if (news.failure) {
        const { error } = news.failure;
        options.signal.throwIfAborted();
        if (!(error instanceof Failure)) throw error;
        const reason = error.message;
        yield {
          kind: 'failed',
          because: 'error',
          at: clock.now(),
          reason,
          missing: all.map(({ device }) => device),
        };
        throw error;
      }
      const at = clock.now();
      const isLookedAt = all.every((watched) => watched.isLookedAt);
      const leftMs = isLookedAt ? begun + timeout - at : Number.POSITIVE_INFINITY;
      end ??= endOf(all, until, at, leftMs <= 0 ? at - begun : undefined);
      const confirmLeftMs = end ? end.at + maxConfirmMs - at : Number.POSITIVE_INFINITY;
      if (end && (confirmLeftMs <= 0 || !all.some(({ isUnconfirmed }) => isUnconfirmed))) {
        yield end;
        return;
      }
      await news.wait(end ? confirmLeftMs : leftMs, clock, signal);
      options.signal.throwIfAborted();
    }
  } finally {
    stop.abort();
    await Promise.all(polls);
  }
}

/** The pauses between two reads of a device, in milliseconds. While something is due to happen they are shorter. */
export interface Pace {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns how often each of so many devices is read. */
export function paceOf(count: number, { everyMs, maxRps = usualRps }: Partial<WatchOptions>): Pace {
  const least = fairPauseMs(count, maxRps);
  return { fromMs: Math.max(everyMs ?? minPauseMs, least), toMs: Math.max(everyMs ?? maxPauseMs, least) };
}

/** Returns the pause between two reads of a device if the service is asked so often at most. */
function fairPauseMs(count: number, maxRps: number): number {
  return (count * 1000) / maxRps;
}

/** Milliseconds between two reads of a device if watchers share them. */
export const sharedPauseMs = 10_000;

/** Failures after which reading goes on. A caller that the service doesn't let in needn't ask for another device. */
const recoverable: ReadonlySet<FailureKind> = new Set(['network', 'rateLimited', 'rejected', 'notFound']);

function pauseFor({ diagnosis, since }: Watched, now: number): number {
  const longest = diagnosis && activeStates.has(diagnosis.state) ? activePauseMs : maxPauseMs;
  return Math.min(Math.max(minPauseMs, (now - since) * pauseFactor), longest);
}

/**
 * Returns the last event, or undefined if there is more to wait for.
 * @param after milliseconds that it has taken if the time is up
 */
function endOf(
  all: readonly Watched[],
  until: Goal | undefined,
  at: number,
  after: number | undefined,
): WatchEvent | undefined {
  // All were forgotten, and others may be added.
  if (all.length === 0) return after === undefined ? undefined : { kind: 'timeout', at, after, missing: [] };
  const behind = until === undefined ? [] : all.filter((watched) => !watched.isAt(until, at));
  if (until !== undefined && behind.length === 0) return { kind: 'reached', at };
  const left = until === undefined ? all : behind;
  const missing = behind.map(({ device }) => device);
  if (left.every(({ isGone }) => isGone)) {
    const reason = `${left.length === 1 ? 'It does' : 'They do'} not exist at the service.`;
    return { kind: 'failed', because: 'not_found', at, reason, missing };
  }
  return after === undefined ? undefined : { kind: 'timeout', at, after, missing };
}

/** A device, and what the reads before have shown. */
class Watched {
  device: Device;
  isLookedAt = false;
  /** Aborted when the device book does not have it any more. */
  readonly forgotten = new AbortController();
  /** The service doesn't have it: there is nothing to look at. */
  isGone = false;
  /** When its last change was seen. */
  since: number;
  diagnosis: Diagnosis | undefined;
  /** The last status that was read. */
  #status: DeviceStatus | undefined;
  /** Undefined if the last read failed: then the state is not known. */
  #state: StateName | undefined;
  #words: string | undefined;
  /** The state that stands: the first one, or one that was confirmed. */
  #standing: DiagnosedState | undefined;
  /** Another state that was seen last, and since when. */
  #unconfirmed: { readonly state: DiagnosedState; readonly since: number } | undefined;
  #hasBeenPaired = false;
  #hasBeenDown = false;
  /** How often in a row the service did not have it. */
  #missing = 0;
  readonly #scan = new Scan();

  constructor(device: Device, now: number) {
    this.device = device;
    this.since = now;
  }

  /** Processes the result of a read. Returns the event if something changed. */
  take(result: PollResult<DeviceStatus>, at: number): WatchEvent | undefined {
    this.isLookedAt = true;
    return 'failure' in result ? this.#fail(result.failure, at) : this.#see(result.value, at);
  }

  /** Gives the device another name. Returns the command that leads on from the state that it was last seen in. */
  rename(names: DeviceChanges['renamed'][number], at: number): CommandLine | undefined {
    this.device = { ...this.device, ...names };
    return this.#status && diagnose(this.#status, this.device, at).next;
  }

  #fail(failure: Failure, at: number): WatchEvent | undefined {
    this.#state = undefined;
    this.#missing = failure.kind === 'notFound' ? this.#missing + 1 : 0;
    // A device that was there gets more chances than one that never was.
    this.isGone = this.#missing > (this.diagnosis ? maxMissing : 0);
    if (!this.#isNew(this.isGone ? 'gone' : 'unreachable', at)) return undefined;
    const was = this.diagnosis?.state;
    return {
      kind: 'unreachable',
      at,
      device: this.device,
      problem: failure.message,
      isGone: this.isGone,
      was,
    };
  }

  #see(status: DeviceStatus, at: number): WatchEvent | undefined {
    const was = this.diagnosis?.state;
    this.#status = status;
    this.#missing = 0;
    const { refusal } = this.device;
    // A refusal that no longer applies never applies again.
    if (refusal && !isCurrentRefusal(refusal, status)) this.device = { ...this.device, refusal: undefined };
    this.diagnosis = diagnose(status, this.device, at);
    const state = stateOf(status);
    this.#state = state;
    this.#hasBeenPaired ||= state === 'ready' || state === 'reconnecting';
    this.#hasBeenDown ||= state !== 'ready';
    if (state === 'ready') this.#scan.isUp(at, this.#hasBeenDown);
    else if (state === 'connecting' || state === 'reconnecting') this.#scan.isDown(at);
    else this.#scan.forget();
    const phone = status.phoneNumber;
    const words = JSON.stringify([this.diagnosis.state, status.status, phone, status.lastDisconnectReason]);
    if (!this.#isNew(words, at)) return undefined;
    return { kind: 'state', at, device: this.device, diagnosis: this.diagnosis, status, was };
  }

  /** True if its state has changed, and no other read has confirmed that. */
  get isUnconfirmed(): boolean {
    return this.#unconfirmed !== undefined && !this.isGone;
  }

  /**
   * Takes in what a read shows, once more: returns the event of a change if that is confirmed. A read of this watch confirms a state
   * that an earlier one showed, at least so many milliseconds ago; of a reading that a desk has, the desk says it. A device that goes
   * back to its old state has not changed.
   */
  confirm(
    status: DeviceStatus,
    at: number,
    confirmMs: number,
    source: ReadingSource | undefined,
  ): ConfirmedChange | undefined {
    const { diagnosis, device } = this;
    if (!diagnosis) return undefined;
    const { state } = diagnosis;
    const was = this.#standing;
    if (was === undefined || was === state) {
      this.#standing = state;
      this.#unconfirmed = undefined;
      return undefined;
    }
    if (this.#unconfirmed?.state !== state) this.#unconfirmed = { state, since: at };
    const isConfirmed = source ? source.isConfirmed : at - this.#unconfirmed.since >= confirmMs;
    if (!isConfirmed) return undefined;
    this.#standing = state;
    this.#unconfirmed = undefined;
    return { kind: 'changed', at, device, diagnosis, status, was, id: source?.change };
  }

  #isNew(words: string, at: number): boolean {
    if (this.#words === words) return false;
    this.#words = words;
    this.since = at;
    return true;
  }

  /** True if it has come as far as is waited for. */
  isAt(goal: Goal, at: number): boolean {
    if (this.#state === undefined || !this.diagnosis) return false;
    switch (goal) {
      case 'ready':
        return this.#state === 'ready' && this.#scan.isUp(at, this.#hasBeenDown);
      case 'stopped':
        return this.#state === 'stopped';
      case 'lost': {
        const { state } = this.diagnosis;
        return lostStates.has(state) || (this.#hasBeenPaired && state === 'waiting');
      }
    }
  }
}

const lostStates: ReadonlySet<DiagnosedState> = new Set([
  'never_connected',
  'stopped',
  'unlinked',
  'taken_over',
  'blocked',
  'limited',
]);
