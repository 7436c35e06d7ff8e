/** How many requests a key may make: that many at once, and then at that pace. */
export interface RateLimit {
  readonly requests: number;
  readonly per: 'second' | 'minute';
}

/** What a key has left of its limit. */
interface Bucket {
  tokens: number;
  /** When that was so, in milliseconds. */
  at: number;
}

/** A bucket of tokens for each key: full at first, and filled again at the pace of the limit. */
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

  /** Takes a token of a key. Returns 0, or the milliseconds until there is one if it has none left. */
  take(key: string): number {
    const now = this.machineTime();
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: this.#most, at: now };
    const filled = Math.min(this.#most, tokens + Math.max(0, now - at) * this.#perMs);
    const isLeft = filled >= 1;
    this.#buckets.set(key, { tokens: isLeft ? filled - 1 : filled, at: now });
    return isLeft ? 0 : (1 - filled) / this.#perMs;
  }
}
