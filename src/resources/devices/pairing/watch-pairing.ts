import type { Clock } from '../../../lib/clock.ts';
import { codeTimeoutMs, connectTimeoutMs, Scan } from '../connection-times.ts';
import { isScanned, reasonKind, stateOf } from '../device-state.ts';
import type { DeviceStatus } from '../device-status.ts';
import type { FailedBecause } from '../device-words.ts';
import { type PollResult, poll, shortPauseMs } from '../poll.ts';
import { type Code, isRead, type ReadCode, readCode } from './code.ts';

/** Something that changed while a device is being paired. Times are milliseconds since 1970. */
export type PairingEvent = { readonly at: number } & (
  | { readonly kind: 'stopped'; readonly reason: string | undefined }
  /** Started, without a code for the moment. */
  | { readonly kind: 'starting' }
  /** Paired before, and offline: it needs no code. */
  | { readonly kind: 'reconnecting' }
  | ({ readonly kind: 'code' } & ShownCode)
  /** There is a picture, and no code can be read from it. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly picture: Buffer | undefined }
  | { readonly kind: 'scanned'; readonly since: number }
  /** Scanned, and for long not connected; told once. */
  | { readonly kind: 'stalled'; readonly since: number }
  /** A status read failed; the next one follows. */
  | { readonly kind: 'unreachable'; readonly problem: string }
  /** A new round of codes begins after so many milliseconds. */
  | { readonly kind: 'renewing'; readonly round: number; readonly pause: number }
  /** These three end it. */
  | { readonly kind: 'connected'; readonly phoneNumber: string | undefined; readonly took: number }
  | { readonly kind: 'failed'; readonly reason: string | undefined; readonly because: FailedBecause }
  | { readonly kind: 'timeout'; readonly after: number }
);

/** An event that ends it. */
export type PairingEnd = Extract<PairingEvent, { kind: 'connected' | 'failed' | 'timeout' }>;

/** A code that a device shows, and its age. */
export interface ShownCode {
  readonly code: ReadCode;
  /** Counted from 1 since the watching began. */
  readonly number: number;
  /** When it was first seen. */
  readonly since: number;
  /** Milliseconds that it probably lives, or undefined if it was there before the watching began. */
  readonly life: number | undefined;
  /** The number of times that codes were asked for, this one included. */
  readonly round: number;
}

/** Options of watching a pairing. */
export interface PairingOptions {
  /** Reads the status. */
  read(signal: AbortSignal): Promise<DeviceStatus>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds to wait until it is connected, or undefined for no end. */
  readonly timeout: number | undefined;
  /** True if the device was connected just now, so that its first code is a new one. */
  readonly justConnected: boolean;
  /**
   * Milliseconds that a stopped device is given to start. With Infinity a device that another process connects is
   * waited for, and codes are, however long they take.
   */
  readonly startTimeoutMs: number;
  /** The number of this round of codes; 1 if not given. */
  readonly round?: number;
  /** When the first round began; now if not given. The timeout counts from then. */
  readonly begun?: number;
  /** Fingerprint of the last code of the round before: as long as it still shows, there is no new one. */
  readonly previousFingerprint?: string | undefined;
}

/** The API tells no lifetime. These are the ones that messaging services use: the first code, then each other. */
const firstCodeLifeMs = 60_000;
const laterCodeLifeMs = 20_000;

/** A code that is past its time by so much is not going to be replaced. */
const maxOverdueMs = 120_000;

/** Between two reads while nothing is due. */
const usualPauseMs = 1000;

/**
 * Watches a device until it is paired, it can't be paired any more, or the time is up. Yields an event for each change, and none
 * while nothing changes: a code is compared by what it says, not by its picture.
 * @throws Failure if a status read fails for good; the reason of the signal if that is aborted
 */
export async function* watchPairing(options: PairingOptions): AsyncGenerator<PairingEvent> {
  const { clock, signal, timeout = Number.POSITIVE_INFINITY } = options;
  const watch = new PairingWatch(options);
  const reads = poll(options.read, {
    clock,
    signal,
    timeoutMs: watch.begun + timeout - clock.now(),
    // However short the time is, it is for one look at the device.
    firstReadMs: Number.POSITIVE_INFINITY,
    pauseMs: () => (watch.isUrgent() ? shortPauseMs : usualPauseMs),
  });
  for await (const result of reads) {
    const event = await watch.take(result);
    if (event) yield event;
    if (event?.kind === 'connected' || event?.kind === 'failed') return;
  }
  yield { kind: 'timeout', at: clock.now(), after: clock.now() - watch.begun };
}

/** The state of a pairing by all reads before, so that only changes are told. */
class PairingWatch {
  readonly begun: number;
  /** When this round began. */
  readonly #roundBegun: number;
  readonly #scan = new Scan();
  #last: string | undefined;
  #hasStarted = false;
  #codes = 0;
  #shown: ShownCode | undefined;
  /** Since when the device is started and carries no code. */
  #withoutCodeSince: number | undefined;
  /** The picture that was read last, and its code: reading costs a hundred times what comparing does. */
  #picture: { readonly url: string; readonly code: Code } | undefined;

  constructor(readonly options: PairingOptions) {
    this.#roundBegun = options.clock.now();
    this.begun = options.begun ?? this.#roundBegun;
  }

  /** Takes in what came of a read. Returns the event if that is another one than the last. */
  async take(result: PollResult<DeviceStatus>): Promise<PairingEvent | undefined> {
    if ('failure' in result && result.isCutOff) return undefined;
    const event: PairingEvent =
      'failure' in result
        ? { kind: 'unreachable', at: this.options.clock.now(), problem: result.failure.message }
        : await this.#eventOf(result.value);
    const { at: _at, ...rest } = event;
    const words =
      rest.kind === 'code' ? `code ${rest.number}` : JSON.stringify({ ...rest, picture: undefined });
    if (words === this.#last) return undefined;
    this.#last = words;
    return event;
  }

  /** True if something may change any moment. */
  isUrgent(): boolean {
    const now = this.options.clock.now();
    if (this.#scan.since !== undefined) return now - this.#scan.since < connectTimeoutMs;
    if (this.#withoutCodeSince !== undefined) return true;
    return this.#shown !== undefined && isPast(this.#shown, now);
  }

  async #eventOf(status: DeviceStatus): Promise<PairingEvent> {
    const at = this.options.clock.now();
    const state = stateOf(status);
    if (state === 'stopped') return this.#stopped(status, at);
    const hadStarted = this.#hasStarted;
    this.#hasStarted = true;
    switch (state) {
      case 'ready': {
        // One that was connected all along has nothing to prove.
        const mayRestart = this.options.justConnected || hadStarted;
        if (!this.#scan.isUp(at, mayRestart)) return this.#afterScan(at);
        const took = (this.#scan.upSince ?? at) - this.begun;
        return { kind: 'connected', at, phoneNumber: status.phoneNumber, took };
      }
      case 'waiting':
        return this.#waiting(status.qrCode ?? '', at);
      case 'connecting':
      case 'reconnecting':
        // A device that was paired before this watch began, and is offline, was not scanned just now.
        if (
          state === 'reconnecting' &&
          this.#codes === 0 &&
          !this.options.justConnected &&
          !isScanned(status)
        )
          return { kind: 'reconnecting', at };
        this.#scan.isDown(at);
        return this.#afterScan(at);
      default:
        return this.#withoutCode(at);
    }
  }

  #afterScan(at: number): PairingEvent {
    this.#withoutCodeSince = undefined;
    const since = this.#scan.since ?? at;
    return { kind: at - since < connectTimeoutMs ? 'scanned' : 'stalled', at, since };
  }

  /** Just after a connect call the status may still be the one from before it. */
  #stopped(status: DeviceStatus, at: number): PairingEvent {
    const reason = status.lastDisconnectReason;
    if (this.#hasStarted) {
      const because = this.#hasExpired(reason, at) ? 'expired' : 'stopped';
      return { kind: 'failed', at, reason, because };
    }
    if (at - this.#roundBegun >= this.options.startTimeoutMs)
      return { kind: 'failed', at, reason, because: 'stopped' };
    return this.options.justConnected ? { kind: 'starting', at } : { kind: 'stopped', at, reason };
  }

  /** True if a device stopped because no phone scanned: it says so, or says nothing when its code was due. */
  #hasExpired(reason: string | undefined, at: number): boolean {
    if (this.#scan.since !== undefined) return false;
    if (reason !== undefined) return reasonKind(reason) === 'expired';
    return this.#shown !== undefined && isPast(this.#shown, at);
  }

  /** Started, and neither scanned nor with a code. */
  #withoutCode(at: number): PairingEvent {
    this.#withoutCodeSince ??= at;
    const waitsForever = !Number.isFinite(this.options.startTimeoutMs);
    if (waitsForever || at - this.#withoutCodeSince < codeTimeoutMs) return { kind: 'starting', at };
    const because = this.#codes > 0 ? 'expired' : 'no_code';
    return { kind: 'failed', at, reason: `no code for ${codeTimeoutMs / 1000} s`, because };
  }

  async #waiting(url: string, at: number): Promise<PairingEvent> {
    if (this.#picture?.url !== url) this.#picture = { url, code: await readCode(url) };
    const { code } = this.#picture;
    const { previousFingerprint, justConnected, round = 1, startTimeoutMs } = this.options;
    if (isRead(code) && code.fingerprint === previousFingerprint) return this.#withoutCode(at);
    this.#withoutCodeSince = undefined;
    this.#scan.forget();
    if (!isRead(code)) return { kind: 'unreadable', at, problem: code.problem, picture: code.picture };
    if (this.#shown?.code.fingerprint !== code.fingerprint) {
      this.#codes += 1;
      const life = this.#codes > 1 ? laterCodeLifeMs : justConnected ? firstCodeLifeMs : undefined;
      this.#shown = { code, number: this.#codes, since: at, life, round };
    } else if (Number.isFinite(startTimeoutMs) && isPast(this.#shown, at - maxOverdueMs)) {
      return { kind: 'failed', at, reason: 'its code is not replaced any more', because: 'expired' };
    }
    return { kind: 'code', at, ...this.#shown };
  }
}

/** True if a code is past its time. One that was there before the watching began is given the longest. */
function isPast({ since, life = firstCodeLifeMs }: ShownCode, now: number): boolean {
  return now > since + life;
}
