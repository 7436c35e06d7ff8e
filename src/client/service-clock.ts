import type { Clock } from '../lib/clock.ts';

/** The service's clock against this machine's, as far as its answers tell (RFC 9110, 6.6.1 Date). */
export class ServiceClock {
  #date: string | undefined;
  #seenAt = 0;

  constructor(private readonly clock: Clock) {}

  /** Takes note of an answer's `Date` header. */
  recordDate(date: string | readonly string[] | undefined): void {
    // A date counts whole seconds, so the first answer that carries it is the closest to it.
    if (typeof date !== 'string' || date === this.#date) return;
    this.#date = date;
    this.#seenAt = this.clock.now();
  }

  /**
   * Milliseconds that the service's clock is ahead of this machine's: at least so many, and at most a second
   * and the answer's way more. Undefined if no answer told the time.
   */
  ahead(): number | undefined {
    const time = this.#date === undefined ? Number.NaN : Date.parse(this.#date);
    return Number.isNaN(time) ? undefined : time - this.#seenAt;
  }
}
