import type { Clock } from '../../../io.ts';
import { isPassing, pauseAfterFailure, pauseAskedBy, spread } from '../polling.ts';
import { isExpiry, isScanned, pictureOf, reasonOf, type StatusView, stateOf } from '../state.ts';
import { phoneOf } from '../words.ts';
import { type Code, isRead, type ReadCode, readCode } from './code.ts';
import { deadlineAfter } from './deadline.ts';

/** Something that changed while a device is being paired. Times are milliseconds since 1970. */
export type PairingEvent = { readonly at: number } & (
  | { readonly kind: 'stopped'; readonly reason: string | undefined }
  /** Started, without a code for the moment. One that a phone was paired with before needs none. */
  | { readonly kind: 'connecting'; readonly isPaired?: boolean }
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
  | { readonly kind: 'lost'; readonly reason: string | undefined; readonly because?: Ending }
  | { readonly kind: 'timeout'; readonly after: number }
);

/** An event that ends it. */
export type PairingEnd = Extract<PairingEvent, { kind: 'connected' | 'lost' | 'timeout' }>;

/** Why there is no use in waiting any longer. */
export type Ending =
  /** The device stopped, and not for want of a scan. */
  | 'stopped'
  /** Every code of the connection has expired. */
  | 'expired'
  /** No code has come at all. */
  | 'noCode'
  /** The service can't be asked any more, or refuses. */
  | 'failed';

/** A code, and how long it has been and will be there. */
export interface ShownCode {
  readonly code: ReadCode;
  /** Counted from 1, as far as this watcher has seen them. */
  readonly number: number;
  /** When it was first seen. */
  readonly since: number;
  /** Milliseconds that it probably lives; undefined for one whose beginning nobody here has seen. */
  readonly life: number | undefined;
  /** How many times codes were asked for, this time included. */
  readonly round: number;
}

/** What watching needs. */
export interface PairingOptions {
  /** Reads the status. */
  read(signal: AbortSignal): Promise<StatusView>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds to wait until it is connected; for ever where not given. */
  readonly timeout: number | undefined;
  /** Whether the device was connected just now, so that its first code is a new one. */
  readonly fresh: boolean;
  /**
   * Milliseconds that a stopped device is given to start; Infinity waits for somebody to connect it, and for
   * codes however long they take.
   */
  readonly patience: number;
  /** Which round of codes this is; 1 where not given. */
  readonly round?: number;
  /** When the first round began; now where not given. The timeout counts from then. */
  readonly begun?: number;
  /** Fingerprint of the last code of the round before: as long as it still shows, there is no new one. */
  readonly spent?: string | undefined;
  /** Gives a number from 0 to 1, 1 excluded. */
  random(): number;
}

/** The API tells no lifetime. These are the ones that messaging services use: the first code, then each other. */
const firstLife = 60_000;
const laterLife = 20_000;

/** Milliseconds that a device may be started without a code, before the first one and between two. */
const codePatience = 15_000;

/** A code that is past its time by so much is not going to be replaced. */
const deadAfter = 120_000;

/** Milliseconds from a scan to a device that is connected, as a rule; then something is wrong. */
const stallTime = 30_000;

/**
 * Messaging services restart a session right after the scan (515): it is up for a moment, down, and up
 * again. Within so many milliseconds of the scan a device counts as connected once it stayed so for a while,
 * or came back.
 */
const restartTime = 10_000;
const proofTime = 1500;

/** Milliseconds between two reads. */
const usualPause = 1000;
const quickPause = 500;

/**
 * Watches a device until it is paired, lost, or the time is up. Gives an event for each change, and none
 * while nothing changes: a code is compared by what it says, not by its picture.
 * @throws Failure where a status read fails for good, and the signal's reason when it is aborted
 */
export async function* watchPairing(options: PairingOptions): AsyncGenerator<PairingEvent> {
  const { clock, signal, timeout } = options;
  const watch = new Watch(options);
  const timeLeft = (): number =>
    timeout === undefined ? Number.POSITIVE_INFINITY : watch.begun + timeout - clock.now();
  const deadline = deadlineAfter(timeLeft(), signal);
  let failures = 0;
  /** Before this moment the service doesn't want to be asked. */
  let heldUntil = 0;
  try {
    for (let reads = 0; ; reads += 1) {
      let event: PairingEvent | undefined;
      let pause = 0;
      try {
        // However short the time is, it is for one look at the device.
        event = await watch.next(await options.read(reads === 0 ? signal : deadline.signal));
        failures = 0;
        pause = watch.isUrgent() ? quickPause : usualPause;
      } catch (error) {
        signal.throwIfAborted();
        if (reads === 0 || !deadline.isOver) {
          if (!isPassing(error)) throw error;
          failures += 1;
          pause = pauseAfterFailure(error, failures, clock.now());
          heldUntil = clock.now() + pauseAskedBy(error, clock.now());
          event = watch.changed({ kind: 'unreachable', at: clock.now(), problem: error.message });
        }
      }
      if (event) {
        yield event;
        if (event.kind === 'connected' || event.kind === 'lost') return;
      }
      const left = deadline.isOver ? 0 : timeLeft();
      if (left > 0) await clock.sleep(Math.min(left, spread(pause, options.random())), signal);
      if (left <= 0 || clock.now() < heldUntil) {
        yield { kind: 'timeout', at: clock.now(), after: clock.now() - watch.begun };
        return;
      }
    }
  } finally {
    deadline.clear();
  }
}

/** What has been seen so far, so that only changes are told. */
class Watch {
  readonly begun: number;
  /** When this round began. */
  readonly #roundBegun: number;
  readonly #scan = new Scan();
  #last: string | undefined;
  #hasStarted = false;
  #codes = 0;
  #shown: ShownCode | undefined;
  /** Since when the device is started and carries no code. */
  #bareSince: number | undefined;
  /** The picture read last, and what became of it: reading costs a hundred times what comparing does. */
  #picture: { readonly url: string; readonly code: Code } | undefined;

  constructor(readonly options: PairingOptions) {
    this.#roundBegun = options.clock.now();
    this.begun = options.begun ?? this.#roundBegun;
  }

  /** What a status view tells beyond the ones before. */
  async next(view: StatusView): Promise<PairingEvent | undefined> {
    return this.changed(await this.#eventOf(view));
  }

  /** The event, unless the last one said the same. */
  changed(event: PairingEvent): PairingEvent | undefined {
    const { at: _at, ...rest } = event;
    const words =
      rest.kind === 'code' ? `code ${rest.number}` : JSON.stringify({ ...rest, picture: undefined });
    if (words === this.#last) return undefined;
    this.#last = words;
    return event;
  }

  /** Whether something may change any moment. */
  isUrgent(): boolean {
    const now = this.options.clock.now();
    if (this.#scan.since !== undefined) return now - this.#scan.since < stallTime;
    if (this.#bareSince !== undefined) return true;
    return this.#shown !== undefined && isPast(this.#shown, now);
  }

  async #eventOf(view: StatusView): Promise<PairingEvent> {
    const at = this.options.clock.now();
    const state = stateOf(view);
    if (state === 'stopped') return this.#stopped(view, at);
    const hadStarted = this.#hasStarted;
    this.#hasStarted = true;
    switch (state) {
      case 'ready': {
        // One that was connected all along has nothing to prove.
        const mayRestart = this.options.fresh || hadStarted;
        if (!this.#scan.isUp(at, mayRestart)) return this.#afterScan(at);
        const took = (this.#scan.upSince ?? at) - this.begun;
        return { kind: 'connected', at, phoneNumber: phoneOf(view.phone_number), took };
      }
      case 'waiting':
        return this.#waiting(pictureOf(view) ?? '', at);
      case 'connecting':
      case 'reconnecting':
        // A device that was paired before this watch began, and is offline, was not scanned just now.
        if (state === 'reconnecting' && this.#codes === 0 && !this.options.fresh && !isScanned(view))
          return { kind: 'connecting', at, isPaired: true };
        this.#scan.isDown(at);
        return this.#afterScan(at);
      default:
        return this.#bare(at);
    }
  }

  #afterScan(at: number): PairingEvent {
    this.#bareSince = undefined;
    const since = this.#scan.since ?? at;
    return { kind: at - since < stallTime ? 'scanned' : 'stalled', at, since };
  }

  /** Just after a connect call the status may still be the one from before it. */
  #stopped(view: StatusView, at: number): PairingEvent {
    const reason = reasonOf(view);
    if (this.#hasStarted) {
      const because = this.#hasExpired(reason, at) ? 'expired' : 'stopped';
      return { kind: 'lost', at, reason, because };
    }
    if (at - this.#roundBegun >= this.options.patience)
      return { kind: 'lost', at, reason, because: 'stopped' };
    return this.options.fresh ? { kind: 'connecting', at } : { kind: 'stopped', at, reason };
  }

  /** Whether a device stopped because nobody scanned: it says so, or says nothing when its code was due. */
  #hasExpired(reason: string | undefined, at: number): boolean {
    if (this.#scan.since !== undefined) return false;
    if (reason !== undefined) return isExpiry(reason);
    return this.#shown !== undefined && isPast(this.#shown, at);
  }

  /** Started, and neither scanned nor with a code. */
  #bare(at: number): PairingEvent {
    this.#bareSince ??= at;
    const isImpatient = Number.isFinite(this.options.patience);
    if (!isImpatient || at - this.#bareSince < codePatience) return { kind: 'connecting', at };
    const because = this.#codes > 0 ? 'expired' : 'noCode';
    return { kind: 'lost', at, reason: `no code for ${codePatience / 1000} s`, because };
  }

  async #waiting(url: string, at: number): Promise<PairingEvent> {
    if (this.#picture?.url !== url) this.#picture = { url, code: await readCode(url) };
    const { code } = this.#picture;
    const { spent, fresh, round = 1, patience } = this.options;
    if (isRead(code) && code.fingerprint === spent) return this.#bare(at);
    this.#bareSince = undefined;
    this.#scan.forget();
    if (!isRead(code)) return { kind: 'unreadable', at, problem: code.problem, picture: code.picture };
    if (this.#shown?.code.fingerprint !== code.fingerprint) {
      this.#codes += 1;
      const life = this.#codes > 1 ? laterLife : fresh ? firstLife : undefined;
      this.#shown = { code, number: this.#codes, since: at, life, round };
    } else if (Number.isFinite(patience) && isPast(this.#shown, at - deadAfter)) {
      return { kind: 'lost', at, reason: 'its code is not replaced any more', because: 'expired' };
    }
    return { kind: 'code', at, ...this.#shown };
  }
}

/** Whether a code is past its time. One whose beginning nobody has seen is given the longest. */
function isPast({ since, life = firstLife }: ShownCode, now: number): boolean {
  return now > since + life;
}

/** What followed a scan so far. */
class Scan {
  /** When it was noticed; undefined before that. */
  since: number | undefined;
  /** Since when the device is connected; undefined while it isn't. */
  upSince: number | undefined;
  #hasRestarted = false;

  /**
   * Notes that the device is connected. Gives whether it is going to stay so.
   * @param mayRestart whether the scan can have been only now
   */
  isUp(at: number, mayRestart: boolean): boolean {
    this.since ??= at;
    this.upSince ??= at;
    if (!mayRestart || this.#hasRestarted || at - this.since >= restartTime) return true;
    return at - this.upSince >= proofTime;
  }

  /** Notes that the device is paired and not connected. */
  isDown(at: number): void {
    this.since ??= at;
    this.#hasRestarted ||= this.upSince !== undefined;
    this.upSince = undefined;
  }

  /** There is a code again: whatever was scanned came to nothing. */
  forget(): void {
    this.since = undefined;
    this.upSince = undefined;
    this.#hasRestarted = false;
  }
}
