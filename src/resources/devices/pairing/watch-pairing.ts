import type { Clock } from '../../../lib/clock.ts';
import { codeTimeoutMs, connectTimeoutMs, minCallMs, Scan } from '../connection-times.ts';
import { isScanned, isStopped, type Limit, limitIn, reasonKind, stateOf } from '../device-state.ts';
import type { DeviceStatus } from '../device-status.ts';
import type { FailedBecause } from '../device-words.ts';
import type { ForeignCommand } from '../other-agents.ts';
import { type PollResult, poll, shortPauseMs } from '../poll.ts';
import { type Code, isRead, type ReadCode, readCode } from './code.ts';

/** A change while a device is being paired. Times are milliseconds since 1970. */
export type PairingEvent = { readonly at: number } & (
  | ({ readonly kind: 'stopped'; readonly reason: string | undefined } & ServiceWords)
  /** Not stopped, and currently without a code. */
  | ({ readonly kind: 'starting'; readonly doubt?: StartDoubt | undefined } & ServiceWords)
  /** Paired before, and offline: it needs no code. */
  | ({ readonly kind: 'reconnecting'; readonly reason?: string | undefined } & ServiceWords)
  /** `restartedBy`: another person who requested new codes since the last code. */
  | ({ readonly kind: 'code'; readonly restartedBy?: ForeignCommand | undefined } & ShownCode)
  /** No read has confirmed the code for a while: it may have been replaced. */
  | { readonly kind: 'unconfirmed'; readonly since: number }
  /** A phone scanned the code and logged in, and then the device showed a code again. */
  | ({ readonly kind: 'scan_failed' } & FailedScan)
  /** There is a picture without a readable code. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly picture: Buffer | undefined }
  | { readonly kind: 'scanned'; readonly since: number }
  /** Scanned, but not connected for long; reported once. */
  | { readonly kind: 'stalled'; readonly since: number }
  /** A status read failed; the next one follows. */
  | { readonly kind: 'unreachable'; readonly problem: string }
  /** A new round of codes begins after this many milliseconds. */
  | { readonly kind: 'renewing'; readonly round: number; readonly pause: number }
  /** These three end it. */
  | { readonly kind: 'connected'; readonly phoneNumber: string | undefined; readonly took: number }
  | ({
      readonly kind: 'failed';
      readonly reason: string | undefined;
      readonly because: FailedBecause;
      /** The command of another person that stopped the device, if one did. */
      readonly stoppedBy?: ForeignCommand | undefined;
    } & ServiceWords)
  /** `problem`: the obstacle when the time was up, as a sentence. */
  | ({
      readonly kind: 'timeout';
      readonly after: number;
      readonly problem?: string | undefined;
    } & ServiceWords)
);

/** The service's own words while there is no code: they may be the only explanation. */
interface ServiceWords {
  readonly words?: string | undefined;
}

/** Why a device that is not stopped may not be starting: a limit, or a status that the specification doesn't list. */
export type StartDoubt =
  | { readonly state: Limit }
  | { readonly state: 'unknown'; readonly status: string | undefined };

/** A scan without a connection. */
export interface FailedScan {
  /** Counted from 1 since the round began. */
  readonly scans: number;
  /** Why the session ended, if the service shows it. */
  readonly reason: string | undefined;
}

/** Returns whether an event is the last one. */
export function isEnd({ kind }: PairingEvent): boolean {
  return kind === 'connected' || kind === 'failed' || kind === 'timeout';
}

/** A code that a device shows, and its age. */
export interface ShownCode {
  readonly code: ReadCode;
  /** Counted from 1 since the watch began. */
  readonly number: number;
  /** When it was first seen. */
  readonly since: number;
  /** Its expected lifetime in milliseconds, or undefined if it was there before the watch began. */
  readonly life: number | undefined;
  /** The number of times that codes were requested, including this one. */
  readonly round: number;
  /** The last scan of this round, if it failed. */
  readonly failedScan?: FailedScan | undefined;
}

/** Options for watching a pairing. */
export interface PairingOptions {
  /** Reads the status. */
  read(signal: AbortSignal): Promise<DeviceStatus>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds to wait for the connection, or undefined for no limit. */
  readonly timeout: number | undefined;
  /** True if the device was connected just before, so that its first code is new. */
  readonly justConnected: boolean;
  /**
   * Milliseconds for a stopped device to start. With Infinity, waits for a device that another process connects, and
   * for its codes, without a limit.
   */
  readonly startTimeoutMs: number;
  /** True if the device was read just before. */
  readonly hasAnswered?: boolean | undefined;
  /** The number of this round of codes; 1 if not given. */
  readonly round?: number;
  /** When the first round began; now if not given. The timeout counts from then. */
  readonly startedAt?: number;
  /** Fingerprint of the last code of the previous round: while it still shows, there is no new one. */
  readonly previousFingerprint?: string | undefined;
}

/** The API shows no lifetime. These are the usual ones of messaging services: of the first code, and of each later one. */
const firstCodeLifeMs = 60_000;
const laterCodeLifeMs = 20_000;

/** A code that is overdue by this much will not be replaced. */
const maxOverdueMs = 120_000;

/** A code that no read has confirmed for this long may have been replaced: the shortest lifetime of a code. */
const maxUnconfirmedMs = laterCodeLifeMs;

/** Between two reads while nothing is due. */
const usualPauseMs = 1000;

/**
 * Watches a device until it is paired, it can't be paired any more, or the time is up. Yields an event for each change;
 * codes are compared by content, not by picture.
 * @throws Failure if a status read fails for good; the reason of the signal if it is aborted
 */
export async function* watchPairing(options: PairingOptions): AsyncGenerator<PairingEvent> {
  const { clock, timeout = Number.POSITIVE_INFINITY } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const watch = new PairingWatch(options);
  const reads = poll(options.read, {
    clock,
    signal,
    timeoutMs: watch.startedAt + timeout - clock.now(),
    firstReadMs: minCallMs,
    hasAnswered: options.hasAnswered,
    pauseMs: () => (watch.isUrgent() ? shortPauseMs : usualPauseMs),
  });
  let next: ReturnType<typeof reads.next> | undefined;
  try {
    for (;;) {
      next = reads.next();
      // A read may take long: the client waits if the service asks for it.
      if (await isSlowerThan(next, watch.confirmedMs(), clock, signal)) yield watch.unconfirmed();
      const { value: result, done } = await next;
      if (done) break;
      for (const event of await watch.take(result)) {
        yield event;
        if (event.kind === 'connected' || event.kind === 'failed') return;
      }
    }
  } finally {
    stop.abort(new Error('the watch has ended'));
    await next?.catch(() => undefined);
  }
  const at = clock.now();
  yield { kind: 'timeout', at, after: at - watch.startedAt, words: watch.words, problem: watch.obstacle };
}

/** Returns whether the time is up before the work is done. */
async function isSlowerThan(
  work: Promise<unknown>,
  milliseconds: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = clock.deadline(milliseconds, signal);
  const end = new Promise<void>((resolve) => {
    if (deadline.signal.aborted) resolve();
    else deadline.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await Promise.race([work, end]);
    return deadline.isOver;
  } finally {
    deadline.clear();
  }
}

/** The state of a pairing from all reads so far, so that only changes are reported. */
class PairingWatch {
  readonly startedAt: number;
  /** When this round began. */
  readonly #roundBegun: number;
  readonly #scan = new Scan();
  #last: string | undefined;
  #hasStarted = false;
  #codes = 0;
  #shown: ShownCode | undefined;
  /** The lifetimes of this round's replaced codes in milliseconds, without the first one. */
  readonly #lives: number[] = [];
  /** When a read last showed the code; undefined if there is none, or `unconfirmed` was yielded for it. */
  #confirmedAt: number | undefined;
  /** True if a phone has logged in since the last code. Without a code, an earlier pairing is reconnecting. */
  #hasLoggedIn = false;
  #failedScan: FailedScan | undefined;
  /** The disconnect in the first read: it is from before. */
  #oldDisconnect: string | undefined;
  /** The value of `status` with the last code. */
  #statusWithCode: string | undefined;
  /** The reason of a new disconnect and the message from the last read; undefined with a code or a connection. */
  words: string | undefined;
  /** Why the last read failed; undefined if it succeeded. */
  #problem: string | undefined;
  /** Since when the device is started without a code. */
  #withoutCodeSince: number | undefined;
  /** The last decoded picture and its code: decoding costs a hundred times as much as comparing. */
  #picture: { readonly url: string; readonly code: Code } | undefined;

  constructor(readonly options: PairingOptions) {
    this.#roundBegun = options.clock.now();
    this.startedAt = options.startedAt ?? this.#roundBegun;
  }

  /** The obstacle to the connection, if known. */
  get obstacle(): string | undefined {
    const isScanned = this.#scan.since !== undefined;
    return this.#problem ?? (isScanned ? 'A phone scanned its code, but it is not connected.' : undefined);
  }

  /** Applies the result of a read. Returns the events that differ from the last one. */
  async take(result: PollResult<DeviceStatus>): Promise<readonly PairingEvent[]> {
    if ('failure' in result) {
      const { failure, isCutOff } = result;
      // If the device was read before, the next event already reports the end of the time.
      if (isCutOff && failure.cause === undefined && this.#oldDisconnect !== undefined) return [];
      const problem = failure.message;
      this.#problem = problem;
      return this.#newsIn([{ kind: 'unreachable', at: this.options.clock.now(), problem }]);
    }
    const status = result.value;
    this.#problem = undefined;
    this.#oldDisconnect ??= disconnectIn(status);
    this.words = joined(this.#newReason(status), status.message);
    const scans = this.#failedScan?.scans;
    const event = await this.#eventOf(status);
    this.#confirmedAt = event.kind === 'code' ? this.options.clock.now() : undefined;
    if (event.kind === 'code' || event.kind === 'connected') this.words = undefined;
    const failed = this.#failedScan;
    return failed && failed.scans !== scans
      ? this.#newsIn([{ kind: 'scan_failed', at: event.at, ...failed }, event])
      : this.#newsIn([event]);
  }

  #newsIn(events: readonly PairingEvent[]): readonly PairingEvent[] {
    return events.filter((event) => {
      const key = keyOf(event);
      const isNew = key !== this.#last;
      this.#last = key;
      return isNew;
    });
  }

  /** Returns the milliseconds for which the current code still counts as confirmed; Infinity if there is none. */
  confirmedMs(): number {
    if (this.#confirmedAt === undefined) return Number.POSITIVE_INFINITY;
    return this.#confirmedAt + maxUnconfirmedMs - this.options.clock.now();
  }

  /** Returns the event for a code that was not confirmed in time, once. */
  unconfirmed(): PairingEvent {
    const at = this.options.clock.now();
    const event: PairingEvent = { kind: 'unconfirmed', at, since: this.#confirmedAt ?? at };
    this.#confirmedAt = undefined;
    this.#problem ??= 'The service stopped responding.';
    this.#last = keyOf(event);
    return event;
  }

  /** Returns the lifetime of a later code: that of the last two, if this service replaces its codes sooner than others. */
  #laterLife(at: number): number {
    const { number, since = at } = this.#shown ?? {};
    // The first code lives longer, and a scanned code was not replaced in its time.
    if (number !== undefined && number > 1 && this.#confirmedAt !== undefined) this.#lives.push(at - since);
    const [one = laterCodeLifeMs, other = laterCodeLifeMs] = this.#lives.slice(-2);
    return Math.min(laterCodeLifeMs, Math.max(one, other));
  }

  /** Returns the reason of a disconnect, unless the first read already had it. */
  #newReason(status: DeviceStatus): string | undefined {
    return disconnectIn(status) === this.#oldDisconnect ? undefined : status.lastDisconnectReason;
  }

  /** Returns the limit that prevents a code. */
  #limitIn(status: DeviceStatus): Limit | undefined {
    return limitIn(status.message) ?? limitIn(this.#newReason(status));
  }

  /** Returns whether a change may come at any moment. */
  isUrgent(): boolean {
    const now = this.options.clock.now();
    if (this.#scan.since !== undefined) return now - this.#scan.since < connectTimeoutMs;
    if (this.#withoutCodeSince !== undefined) return true;
    return this.#shown !== undefined && isPast(this.#shown, now);
  }

  async #eventOf(status: DeviceStatus): Promise<PairingEvent> {
    const at = this.options.clock.now();
    const state = stateOf(status);
    if (state === 'stopped')
      return this.#hasLiveCode(status) ? this.#waiting(status, at) : this.#stopped(status, at);
    const hadStarted = this.#hasStarted;
    this.#hasStarted = true;
    switch (state) {
      case 'ready': {
        // A device that was connected all along is stable.
        const mayRestart = this.options.justConnected || hadStarted;
        this.#hasLoggedIn ||= this.#picture !== undefined;
        if (!this.#scan.isUp(at, mayRestart)) return this.#afterScan(at);
        const took = (this.#scan.upSince ?? at) - this.startedAt;
        return { kind: 'connected', at, phoneNumber: status.phoneNumber, took };
      }
      case 'waiting':
        return this.#waiting(status, at);
      case 'connecting':
      case 'reconnecting':
        // A device that was paired before this watch began, and is offline, was not scanned just now.
        if (
          state === 'reconnecting' &&
          this.#codes === 0 &&
          !this.options.justConnected &&
          !isScanned(status)
        ) {
          const { lastDisconnectReason: reason, message: words } = status;
          return { kind: 'reconnecting', at, reason, words };
        }
        this.#hasLoggedIn ||= state === 'reconnecting' && this.#picture !== undefined;
        this.#scan.isDown(at);
        return this.#afterScan(at);
      default:
        return this.#withoutCode(status, at);
    }
  }

  /** Returns whether a device with the status stopped shows a code that has not expired. */
  #hasLiveCode(status: DeviceStatus): boolean {
    if (status.qrCode === undefined) return false;
    // If it was started when it showed the code, it has stopped since, and the code is a remnant.
    if (this.#codes > 0)
      return isStopped({ status: this.#statusWithCode }) && this.#newReason(status) === undefined;
    return this.options.justConnected || !saysExpired(status);
  }

  #afterScan(at: number): PairingEvent {
    this.#withoutCodeSince = undefined;
    const since = this.#scan.since ?? at;
    return { kind: at - since < connectTimeoutMs ? 'scanned' : 'stalled', at, since };
  }

  /** Right after a connect call, the status may still be the old one. */
  #stopped(status: DeviceStatus, at: number): PairingEvent {
    const { lastDisconnectReason: reason, message: words } = status;
    const limit = this.#limitIn(status);
    const hasStarted = this.#hasStarted;
    if (hasStarted || at - this.#roundBegun >= this.options.startTimeoutMs) {
      const cause = limit ?? (hasStarted ? undefined : limitIn(reason));
      const hasShown = hasStarted || this.#codes > 0;
      const because = cause ?? (hasShown && this.#hasExpired(reason, at) ? 'expired' : 'stopped');
      return { kind: 'failed', at, reason, because, words: cause ? joined(reason, words) : words };
    }
    if (!this.options.justConnected) return { kind: 'stopped', at, reason, words };
    return { kind: 'starting', at, doubt: limit && { state: limit }, words };
  }

  /** Returns whether a device stopped because no phone scanned: the reason says so, or there is none and its code was due. */
  #hasExpired(reason: string | undefined, at: number): boolean {
    if (this.#scan.since !== undefined) return false;
    if (reason !== undefined) return reasonKind(reason) === 'expired';
    return this.#shown !== undefined && isPast(this.#shown, at);
  }

  /** Handles a status that is not stopped, without a scan and without a code. */
  #withoutCode(status: DeviceStatus, at: number): PairingEvent {
    this.#withoutCodeSince ??= at;
    const { words } = this;
    const doubt = this.#doubtIn(status);
    const waitsForever = !Number.isFinite(this.options.startTimeoutMs);
    if (waitsForever || at - this.#withoutCodeSince < codeTimeoutMs)
      return { kind: 'starting', at, doubt, words };
    // A restriction from before the round is out of date, unless no code has appeared at all.
    const limit = this.#codes === 0 ? limitIn(status.lastDisconnectReason) : undefined;
    const hasExpired = this.#codes > 0 && this.#scan.since === undefined;
    const because = doubt?.state ?? limit ?? (hasExpired ? 'expired' : 'no_code');
    const reason =
      doubt?.state === 'unknown' && doubt.status !== undefined
        ? `the service calls it "${doubt.status}"`
        : `no code for ${codeTimeoutMs / 1000} s`;
    const said = limit ? joined(status.lastDisconnectReason, status.message) : words;
    return { kind: 'failed', at, reason, because, words: said };
  }

  #doubtIn(status: DeviceStatus): StartDoubt | undefined {
    const limit = this.#limitIn(status);
    if (limit !== undefined) return { state: limit };
    // If the same value came with a code, it is this service's value for started.
    if (stateOf(status) !== 'other' || (this.#codes > 0 && status.status === this.#statusWithCode))
      return undefined;
    return { state: 'unknown', status: status.status };
  }

  async #waiting(status: DeviceStatus, at: number): Promise<PairingEvent> {
    const url = status.qrCode ?? '';
    if (this.#picture?.url !== url) this.#picture = { url, code: await readCode(url) };
    const { code } = this.#picture;
    const { previousFingerprint, justConnected, round = 1, startTimeoutMs } = this.options;
    if (isRead(code) && code.fingerprint === previousFingerprint)
      return isStopped(status) ? this.#stopped(status, at) : this.#withoutCode(status, at);
    // Right after a connect call, the status may still be the old one with an expired code.
    this.#hasStarted ||= !saysExpired(status) || this.#codes > 1;
    this.#withoutCodeSince = undefined;
    this.#statusWithCode = status.status;
    if (this.#hasLoggedIn) {
      const scans = (this.#failedScan?.scans ?? 0) + 1;
      this.#failedScan = { scans, reason: this.#newReason(status) };
      this.#hasLoggedIn = false;
    }
    this.#scan.forget();
    if (!isRead(code)) return { kind: 'unreadable', at, problem: code.problem, picture: code.picture };
    if (this.#shown?.code.fingerprint !== code.fingerprint) {
      this.#codes += 1;
      const life = this.#codes > 1 ? this.#laterLife(at) : justConnected ? firstCodeLifeMs : undefined;
      this.#shown = { code, number: this.#codes, since: at, life, round };
    } else if (Number.isFinite(startTimeoutMs) && isPast(this.#shown, at - maxOverdueMs)) {
      return { kind: 'failed', at, reason: 'its code is no longer replaced', because: 'expired' };
    }
    return { kind: 'code', at, ...this.#shown, failedScan: this.#failedScan };
  }
}

/** Joins the service's words from several members. */
function joined(...said: readonly (string | undefined)[]): string | undefined {
  const texts = new Set(said.filter((text) => text !== undefined));
  return texts.size === 0 ? undefined : [...texts].join('; ');
}

/** Returns a key to compare an event with the last one. Numbers in the service's words may be a countdown. */
function keyOf({ at: _at, ...event }: PairingEvent): string {
  if (event.kind === 'code') return `code ${event.number}`;
  const words = 'words' in event ? event.words?.replaceAll(/\d+/g, '0') : undefined;
  return JSON.stringify({ ...event, picture: undefined, words });
}

function saysExpired({ lastDisconnectReason: reason }: DeviceStatus): boolean {
  return reason !== undefined && reasonKind(reason) === 'expired';
}

function disconnectIn({ lastDisconnectReason, lastDisconnectAt }: DeviceStatus): string {
  return JSON.stringify([lastDisconnectReason, lastDisconnectAt]);
}

/** Returns whether a code has expired. One that was there before the watch began gets the longest lifetime. */
function isPast({ since, life = firstCodeLifeMs }: ShownCode, now: number): boolean {
  return now > since + life;
}
