import type { Clock } from '../../../lib/clock.ts';
import { type PollResult, pauseAskedBy } from '../poll.ts';

/** Reads at the same time: one that hangs should not hold up the others. */
const maxAtOnce = 4;

/** Nothing is read for so long after a 429 that names no time; doubled each time. */
const firstHoldMs = 2000;
const maxHoldMs = 60_000;

/** The turns of many who read from one service: few at a time, and none while it asks for fewer requests. */
export class ReadTurns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #heldUntil = 0;
  #holds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads when it is its turn. */
  async run<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      signal.throwIfAborted();
      return await read();
    } finally {
      this.#open -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const heldMs = this.#heldUntil - this.#clock.now();
      if (heldMs > 0) await this.#clock.sleep(heldMs, signal);
      else if (this.#open < maxAtOnce) {
        this.#open += 1;
        return;
      } else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Holds all reads if the service asks for fewer requests. */
  learn(result: PollResult<unknown>): void {
    if (!('failure' in result)) {
      this.#holds = 0;
      return;
    }
    if (result.failure.kind !== 'rateLimited') return;
    const now = this.#clock.now();
    // Those that were on their way together are one refusal.
    if (now >= this.#heldUntil) {
      this.#heldUntil = now + Math.min(firstHoldMs * 2 ** this.#holds, maxHoldMs);
      this.#holds += 1;
    }
    this.#heldUntil = Math.max(this.#heldUntil, now + pauseAskedBy(result.failure, now));
  }
}
