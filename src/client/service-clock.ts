import type { Clock } from '../lib/clock.ts';

/** Compares the service's clock with this machine's, using the `Date` headers of responses (RFC 9110, 6.6.1). */
export class ServiceClock {
  #date: string | undefined;
  #seenAt = 0;

  constructor(private readonly clock: Clock) {}

  /** Records the `Date` header of a response. */
  recordDate(date: string | readonly string[] | undefined): void {
    // The header has whole seconds, so the first response with a new value is the most accurate.
    if (typeof date !== 'string' || date === this.#date) return;
    this.#date = date;
    this.#seenAt = this.clock.now();
  }

  /**
   * Returns the milliseconds that the service's clock is ahead of this machine's. The value is a lower bound: the real
   * one is higher by at most a second and the response's latency. Undefined if no response had the header.
   */
  ahead(): number | undefined {
    const time = this.#date === undefined ? Number.NaN : Date.parse(this.#date);
    return Number.isNaN(time) ? undefined : time - this.#seenAt;
  }
}
