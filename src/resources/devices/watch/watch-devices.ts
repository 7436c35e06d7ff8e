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

/** A change while devices are watched. Times are milliseconds since 1970. */
export type WatchEvent = { readonly at: number } & (
  | {
      readonly kind: 'state';
      readonly device: Device;
      readonly diagnosis: Diagnosis;
      readonly status: DeviceStatus;
      /** Undefined for the first one. */
      readonly was: DiagnosedState | undefined;
    }
  /** A status read failed; the next one follows, unless the device doesn't exist. */
  | {
      readonly kind: 'unreachable';
      readonly device: Device;
      readonly problem: string;
      /** The service doesn't have it. */
      readonly isGone: boolean;
      /** Undefined if no read has succeeded yet. */
      readonly was?: DiagnosedState | undefined;
    }
  /** The device was added to the device book, or removed from it. */
  | { readonly kind: 'added'; readonly device: Device }
  | { readonly kind: 'forgotten'; readonly device: Device }
  /** These three end it. `missing`: the devices that have not reached the goal. */
  | { readonly kind: 'reached' }
  | {
      readonly kind: 'failed';
      readonly because: Extract<FailedBecause, 'not_found' | 'error'>;
      readonly reason: string;
      readonly missing: readonly Device[];
    }
  | { readonly kind: 'timeout'; readonly after: number; readonly missing: readonly Device[] }
);

/**
 * A change of the state that another read, a moment later, has confirmed. The first state of a device is not a change.
 */
export interface ConfirmedChange {
  readonly kind: 'changed';
  readonly at: number;
  readonly device: Device;
  readonly diagnosis: Diagnosis;
  readonly status: DeviceStatus;
  /** The state before that was confirmed, or the first one. */
  readonly was: DiagnosedState;
  /** The UUID of the change for all watchers of a desk; undefined if only this watch has read it. */
  readonly id?: string | undefined;
}

/** Devices to watch from now on, new names, and ids of devices that are no longer watched. */
export interface DeviceChanges {
  readonly added: readonly Device[];
  readonly renamed: readonly Pick<Device, 'id' | 'name' | 'label' | 'word'>[];
  readonly forgotten: ReadonlySet<string>;
}

/** Options for watching devices. */
export interface WatchOptions {
  /** Reads the status. */
  read(device: Device, signal: AbortSignal): Promise<DeviceStatus>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends when all devices are in this state; never if undefined. */
  readonly until: Goal | undefined;
  /** Milliseconds, or undefined for no limit. */
  readonly timeout: number | undefined;
  /** Requests per second for all devices together. */
  readonly maxRps: number | undefined;
  /** Milliseconds between two reads of a device; if undefined, it is read less often the longer it stays unchanged. */
  readonly everyMs?: number | undefined;
  /**
   * Milliseconds after which another read confirms a change of the state, which is then reported as `changed`. If
   * undefined, changes are reported without confirmation.
   */
  readonly confirmMs?: number | undefined;
  /** Yields devices that are added, renamed or forgotten meanwhile, until the signal is aborted. */
  readonly changes?: ((signal: AbortSignal) => AsyncIterable<DeviceChanges>) | undefined;
  /**
   * Called for each renamed device.
   * @param next the command for its state, with the new name; undefined if there is none
   */
  onRenamed?(device: Device, next: CommandLine | undefined): void;
  /** The shared readings of a desk's watchers. */
  readonly shared?: SharedWatch | undefined;
  /** Called for each reading, with its source in the desk. */
  onShared?(device: Device, source: ReadingSource | undefined): void;
}

/** Requests per second if no limit is given. */
export const usualRps = 5;

/** The end of a watch waits up to this time for changes to be confirmed. */
const maxConfirmMs = 10_000;

/** Between two reads of a device. It is read less often the longer it stays unchanged. */
const minPauseMs = 1000;
const maxPauseMs = 30_000;
/** The pause is this fraction of the time for which a device has been unchanged. */
const pauseFactor = 0.1;
/** The maximum pause while a change is expected, such as a scan. */
const activePauseMs = 2000;
const activeStates: ReadonlySet<DiagnosedState> = new Set(['starting', 'waiting', 'connecting']);

/**
 * Watches devices until all have reached the goal, or the time is up. Yields an event for each
 * change. Each device is read at least once, however short the time is.
 * @param devices at least one
 * @throws Failure if the service refuses all requests; the reason of the signal if it is aborted
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
  // Each device listens to it. For more than ten listeners of a combined signal, Node warns of a leak on stderr.
  setMaxListeners(0, signal);
  const turns = new ReadTurns(clock);
  const all = devices.map((device) => new Watched(device, begun));
  const byId = new Map(all.map((watched) => [watched.device.id, watched]));
  /** Milliseconds until the read that confirms a change. If many devices change at once, they take turns. */
  const confirmPauseMs = (): number =>
    Math.max(confirmMs ?? 0, (all.filter(({ isUnconfirmed }) => isUnconfirmed).length * 1000) / maxRps);
  const news = new News<WatchEvent | ConfirmedChange>();
  /** Handles the result of a read. Returns true if the device is gone. */
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
  /** Follows the readings of all watchers of a desk. */
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
  /** Adds devices that are added meanwhile, updates names, and removes devices that are forgotten. */
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

/** The pauses between two reads of a device, in milliseconds. They are shorter while a change is expected. */
export interface Pace {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns how often to read each of a number of devices. */
export function paceOf(count: number, { everyMs, maxRps = usualRps }: Partial<WatchOptions>): Pace {
  const least = fairPauseMs(count, maxRps);
  return { fromMs: Math.max(everyMs ?? minPauseMs, least), toMs: Math.max(everyMs ?? maxPauseMs, least) };
}

/** Returns the pause between two reads of a device for a maximum request rate. */
function fairPauseMs(count: number, maxRps: number): number {
  return (count * 1000) / maxRps;
}

/** Milliseconds between two reads of a device if watchers share them. */
export const sharedPauseMs = 10_000;

/** Failures after which reading goes on. A key that the service rejects can't read another device either. */
const recoverable: ReadonlySet<FailureKind> = new Set(['network', 'rateLimited', 'rejected', 'notFound']);

function pauseFor({ diagnosis, since }: Watched, now: number): number {
  const longest = diagnosis && activeStates.has(diagnosis.state) ? activePauseMs : maxPauseMs;
  return Math.min(Math.max(minPauseMs, (now - since) * pauseFactor), longest);
}

/**
 * Returns the last event, or undefined if the watch goes on.
 * @param after the elapsed milliseconds if the time is up
 */
function endOf(
  all: readonly Watched[],
  until: Goal | undefined,
  at: number,
  after: number | undefined,
): WatchEvent | undefined {
  // All were forgotten, but others may be added.
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

/** A device, and the results of its reads so far. */
class Watched {
  device: Device;
  isLookedAt = false;
  /** Aborted when the device is removed from the device book. */
  readonly forgotten = new AbortController();
  /** True if the service doesn't have it. */
  isGone = false;
  /** When its last change was seen. */
  since: number;
  diagnosis: Diagnosis | undefined;
  /** The last status. */
  #status: DeviceStatus | undefined;
  /** Undefined if the last read failed: then the state is not known. */
  #state: StateName | undefined;
  #words: string | undefined;
  /** The current state: the first one, or the last confirmed one. */
  #standing: DiagnosedState | undefined;
  /** A later state that is not confirmed, and since when. */
  #unconfirmed: { readonly state: DiagnosedState; readonly since: number } | undefined;
  #hasBeenPaired = false;
  #hasBeenDown = false;
  /** The number of consecutive reads that did not find it. */
  #missing = 0;
  readonly #scan = new Scan();

  constructor(device: Device, now: number) {
    this.device = device;
    this.since = now;
  }

  /** Handles the result of a read. Returns the event if something changed. */
  take(result: PollResult<DeviceStatus>, at: number): WatchEvent | undefined {
    this.isLookedAt = true;
    return 'failure' in result ? this.#fail(result.failure, at) : this.#see(result.value, at);
  }

  /** Renames the device. Returns the next command for its last state. */
  rename(names: DeviceChanges['renamed'][number], at: number): CommandLine | undefined {
    this.device = { ...this.device, ...names };
    return this.#status && diagnose(this.#status, this.device, at).next;
  }

  #fail(failure: Failure, at: number): WatchEvent | undefined {
    this.#state = undefined;
    this.#missing = failure.kind === 'notFound' ? this.#missing + 1 : 0;
    // A device that was found before gets more chances than one that never was.
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
   * Handles a repeated read: returns the event of a confirmed change. A read of this watch confirms a state that an
   * earlier one showed at least a number of milliseconds ago; for a reading from a desk, the desk decides. If a device
   * returns to its old state, it has not changed.
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

  /** Returns whether it has reached the goal. */
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
