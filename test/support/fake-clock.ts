import { type Clock, type Deadline, deadlineWith, sleepWith, systemClock } from '../../src/lib/clock.ts';

/** Options of a fake clock. */
export interface FakeClockOptions {
  /** Milliseconds since 1970. */
  readonly now?: number;
  /** What `random` returns. */
  readonly random?: number;
  /** Advances only through `advance`. */
  readonly byHand?: boolean;
}

interface Timer {
  readonly at: number;
  readonly isSleep: boolean;
  readonly callback: () => void;
}

/**
 * A clock that stops while there is work, and jumps to the next timer when every task sleeps, so sleeping takes no
 * time. Deadlines and ticks are called at their time, after the tasks that sleep until then; the clock does not advance
 * for them alone.
 */
export class FakeClock implements Clock {
  /** The milliseconds of each sleep, in order. */
  readonly waits: number[] = [];
  readonly #timers = new Set<Timer>();
  readonly #isByHand: boolean;
  readonly #random: number;
  #now: number;
  #isGoingOn = false;

  constructor({ now = Date.UTC(2026, 0, 1), random = 0, byHand = false }: FakeClockOptions = {}) {
    this.#now = now;
    this.#random = random;
    this.#isByHand = byHand;
  }

  now(): number {
    return this.#now;
  }

  random(): number {
    return this.#random;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.waits.push(milliseconds);
    const sleeping = sleepWith((time, callback) => this.#start(time, callback, true), milliseconds, signal);
    this.#goOnWhenIdle();
    await sleeping;
  }

  deadline(milliseconds: number, signal: AbortSignal): Deadline {
    return deadlineWith((time, callback) => this.#start(time, callback), milliseconds, signal);
  }

  every(milliseconds: number, callback: () => void): () => void {
    const tick = (): void => {
      stop = this.#start(milliseconds, tick);
      callback();
    };
    let stop = this.#start(milliseconds, tick);
    return () => stop();
  }

  /** Waits until the signal is aborted, as a call without an answer does. */
  async hang(signal: AbortSignal): Promise<never> {
    await this.sleep(Number.POSITIVE_INFINITY, signal);
    throw new Error('nothing ended it');
  }

  /** Advances at once, and calls the timers that are due. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) this.#fire(next);
    this.#now = end;
  }

  /** Advances, and lets each woken task do its work before the next timer. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
      this.#fire(next);
      await idle();
    }
    this.#now = end;
  }

  #start(milliseconds: number, callback: () => void, isSleep = false): () => void {
    const timer = { at: this.#now + milliseconds, isSleep, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  #next(): Timer | undefined {
    return [...this.#timers].sort(
      (one, other) => one.at - other.at || Number(other.isSleep) - Number(one.isSleep),
    )[0];
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.callback();
  }

  #goOnWhenIdle(): void {
    if (this.#isByHand || this.#isGoingOn) return;
    this.#isGoingOn = true;
    void this.#goOn();
  }

  async #goOn(): Promise<void> {
    for (await idle(); [...this.#timers].some(({ isSleep }) => isSleep); await idle()) {
      const next = this.#next();
      if (!next || next.at === Number.POSITIVE_INFINITY) break;
      this.#fire(next);
    }
    this.#isGoingOn = false;
  }
}

/** Waits until only outside events are left to wait for. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns a clock several times as fast as the machine's, for commands that wait for a real service. */
export function scaledClock(times = 10): Clock {
  const begun = Date.now();
  const start = (milliseconds: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, milliseconds / times);
    return () => clearTimeout(timer);
  };
  return {
    now: () => begun + (Date.now() - begun) * times,
    sleep: (milliseconds, signal) => sleepWith(start, milliseconds, signal),
    deadline: (milliseconds, signal) => deadlineWith(start, milliseconds, signal),
    every(milliseconds, callback) {
      const ticking = setInterval(callback, milliseconds / times);
      return () => clearInterval(ticking);
    },
    random: () => 0,
  };
}

/**
 * Returns the machine's clock, on which waiting takes no time.
 * @param waits collects the sleeps in milliseconds
 */
export function withoutWaiting(waits: number[] = []): Clock {
  const sleep = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
  };
  return { ...systemClock, sleep };
}
