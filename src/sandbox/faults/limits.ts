/** The rate limit of a key: this many requests at once, refilled at this rate. */
export interface RateLimit {
  readonly requests: number;
  readonly per: 'second' | 'minute';
}

/** The remaining requests of a key. */
interface Bucket {
  tokens: number;
  /** Time of that value, in milliseconds. */
  at: number;
}

/** A token bucket per key: full at first, refilled at the rate of the limit. */
export class RequestPace {
  readonly #buckets = new Map<string, Bucket>();
  readonly #most: number;
  readonly #perMs: number;

  /** @param machineTime milliseconds since 1970, by the machine's clock */
  constructor(
    readonly limit: RateLimit,
    private readonly machineTime: () => number,
  ) {
    this.#most = limit.requests;
    this.#perMs = limit.requests / (limit.per === 'second' ? 1000 : 60_000);
  }

  /** Takes a token of a key. Returns 0, or the milliseconds until one is available. */
  take(key: string): number {
    const now = this.machineTime();
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: this.#most, at: now };
    const filled = Math.min(this.#most, tokens + Math.max(0, now - at) * this.#perMs);
    const isLeft = filled >= 1;
    this.#buckets.set(key, { tokens: isLeft ? filled - 1 : filled, at: now });
    return isLeft ? 0 : (1 - filled) / this.#perMs;
  }
}
