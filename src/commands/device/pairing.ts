import { Failure } from '../../errors.ts';
import type { Clock } from '../../io.ts';
import { type Code, isRead, type ReadCode, readCode } from './code.ts';
import { pictureOf, reasonOf, type StatusView, stateOf } from './state.ts';
import { phoneOf } from './words.ts';

/** Something that changed while a device is being paired. Times are milliseconds since 1970. */
export type PairingEvent = { readonly at: number } & (
  | { readonly kind: 'stopped'; readonly reason: string | undefined }
  /** Started, without a code for the moment. */
  | { readonly kind: 'connecting' }
  | ({ readonly kind: 'code' } & ShownCode)
  /** There is a picture, and no code can be read from it. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly picture: Buffer | undefined }
  | { readonly kind: 'scanned' }
  /** A status read failed; the next one follows. */
  | { readonly kind: 'unreachable'; readonly problem: string }
  /** These three end it. */
  | { readonly kind: 'connected'; readonly phoneNumber: string | undefined; readonly took: number }
  | { readonly kind: 'lost'; readonly reason: string | undefined }
  | { readonly kind: 'timeout'; readonly after: number }
);

/** A code, and how long it has been and will be there. */
export interface ShownCode {
  readonly code: ReadCode;
  /** Counted from 1, as far as this watcher has seen them. */
  readonly number: number;
  /** When it was first seen. */
  readonly since: number;
  /** Milliseconds that it probably lives; undefined for one whose beginning nobody here has seen. */
  readonly life: number | undefined;
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
  /** Milliseconds that a stopped device is given to start; Infinity waits for somebody to connect it. */
  readonly patience: number;
}

/** The API tells no lifetime. These are the ones that messaging services use: the first code, then each other. */
const firstLife = 60_000;
const laterLife = 20_000;

/** Milliseconds between two reads. */
const usualPause = 1000;
const quickPause = 500;
const longestPause = 15_000;

/**
 * Watches a device until it is paired, lost, or the time is up. Gives an event for each change, and none
 * while nothing changes: a code is compared by what it says, not by its picture.
 * @throws Failure where a status read fails for good, and the signal's reason when it is aborted
 */
export async function* watchPairing(options: PairingOptions): AsyncGenerator<PairingEvent> {
  const { clock, signal, timeout } = options;
  const watch = new Watch(options);
  let failures = 0;
  for (;;) {
    let event: PairingEvent | undefined;
    try {
      event = await watch.next(await options.read(signal));
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error)) throw error;
      failures += 1;
      event = watch.changed({ kind: 'unreachable', at: clock.now(), problem: error.message });
    }
    if (event) {
      yield event;
      if (event.kind === 'connected' || event.kind === 'lost') return;
    }
    const left = timeout === undefined ? Number.POSITIVE_INFINITY : watch.begun + timeout - clock.now();
    if (left <= 0) {
      yield { kind: 'timeout', at: clock.now(), after: clock.now() - watch.begun };
      return;
    }
    await clock.sleep(Math.min(left, pauseAfter(failures, watch.isUrgent())), signal);
  }
}

/** Whether another read may succeed where this one failed. */
function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && (error.kind === 'network' || error.kind === 'rateLimited');
}

function pauseAfter(failures: number, isUrgent: boolean): number {
  if (failures > 0) return Math.min(usualPause * 2 ** failures, longestPause);
  return isUrgent ? quickPause : usualPause;
}

/** What has been seen so far, so that only changes are told. */
class Watch {
  readonly begun: number;
  #last: string | undefined;
  #hasStarted = false;
  #isWaiting = false;
  #codes = 0;
  #shown: ShownCode | undefined;
  /** The picture read last, and what became of it: reading costs a hundred times what comparing does. */
  #picture: { readonly url: string; readonly code: Code } | undefined;

  constructor(readonly options: PairingOptions) {
    this.begun = options.clock.now();
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
    if (!this.#isWaiting || !this.#shown) return this.#hasStarted;
    const { since, life } = this.#shown;
    return life !== undefined && this.options.clock.now() > since + life;
  }

  async #eventOf(view: StatusView): Promise<PairingEvent> {
    const at = this.options.clock.now();
    const state = stateOf(view);
    this.#isWaiting = state === 'waiting';
    if (state === 'stopped') return this.#stopped(view, at);
    this.#hasStarted = true;
    switch (state) {
      case 'ready':
        return { kind: 'connected', at, phoneNumber: phoneOf(view.phone_number), took: at - this.begun };
      case 'waiting':
        return this.#waiting(pictureOf(view) ?? '', at);
      case 'connecting':
      case 'reconnecting':
        return { kind: 'scanned', at };
      default:
        return { kind: 'connecting', at };
    }
  }

  /** Just after a connect call the status may still be the one from before it. */
  #stopped(view: StatusView, at: number): PairingEvent {
    const reason = reasonOf(view);
    if (this.#hasStarted || at - this.begun >= this.options.patience) return { kind: 'lost', at, reason };
    return this.options.fresh ? { kind: 'connecting', at } : { kind: 'stopped', at, reason };
  }

  async #waiting(url: string, at: number): Promise<PairingEvent> {
    if (this.#picture?.url !== url) this.#picture = { url, code: await readCode(url) };
    const { code } = this.#picture;
    if (!isRead(code)) return { kind: 'unreadable', at, problem: code.problem, picture: code.picture };
    if (this.#shown?.code.fingerprint !== code.fingerprint) {
      this.#codes += 1;
      const life = this.#codes > 1 ? laterLife : this.options.fresh ? firstLife : undefined;
      this.#shown = { code, number: this.#codes, since: at, life };
    }
    return { kind: 'code', at, ...this.#shown };
  }
}
