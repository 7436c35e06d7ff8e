import type { Clock } from '../../../lib/clock.ts';
import { type PollResult, pauseAskedBy } from '../poll.ts';

/** Concurrent reads: one that hangs should not block the others. */
const maxAtOnce = 4;

/** The pause after a 429 without a time; doubled each time. */
const firstHoldMs = 2000;
const maxHoldMs = 60_000;

/** Limits the reads of many devices from one service: a few at a time, and none while it asks for fewer requests. */
export class ReadTurns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #heldUntil = 0;
  #holds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads when a slot is free. */
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

  /** Pauses all reads if the service asks for fewer requests. */
  learn(result: PollResult<unknown>): void {
    if (!('failure' in result)) {
      this.#holds = 0;
      return;
    }
    if (result.failure.kind !== 'rateLimited') return;
    const now = this.#clock.now();
    // Concurrent refusals count as one.
    if (now >= this.#heldUntil) {
      this.#heldUntil = now + Math.min(firstHoldMs * 2 ** this.#holds, maxHoldMs);
      this.#holds += 1;
    }
    this.#heldUntil = Math.max(this.#heldUntil, now + pauseAskedBy(result.failure, now));
  }
}
