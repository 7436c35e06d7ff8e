import { tokenLifetimeSeconds } from '../contract/token.ts';
import type { Clock } from '../lib/clock.ts';
import { Secret } from '../secrets/secret.ts';
import type { CachedToken, TokenCache, TokenCredential } from '../settings/token-cache.ts';

/** The token in use, and what is known of it. */
interface TokenInUse {
  readonly cached: CachedToken;
  /** When to stop using it, a little before it expires. */
  readonly renewAt: number;
  /** True if this process exchanged it, so that a refusal says something of the key. */
  readonly isFresh: boolean;
  /** True if the service has accepted it since. */
  accepted: boolean;
}

/** The answer of the exchange: the token, and the seconds that it lasts. */
export interface ExchangedToken {
  readonly token: string;
  readonly expiresIn: number | undefined;
}

export interface TokenOptions {
  readonly credential: TokenCredential;
  readonly cache: TokenCache;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Exchanges the key for a token. Throws a `Failure`. */
  exchange(): Promise<ExchangedToken>;
  /** Called with every token value, so that it can be kept out of what is printed. */
  onSecret(value: string): void;
}

/** The access token of one credential. */
export interface Tokens {
  /** Returns the token to use now: the one in use, the cached one, or a new one. */
  get(): Promise<CachedToken>;
  /** The service took this token. */
  accept(token: Secret): void;
  /**
   * A token to use instead of one that the service refused, or undefined if that one was fresh, so that
   * another would be refused too. Many requests that meet the same refusal cause one exchange.
   */
  replace(refused: Secret): Promise<CachedToken | undefined>;
}

/** The part of a token's life that is given away for renewing early, at most these milliseconds. */
const earlyFraction = 0.1;
const maxEarlyMs = 5 * 60_000;

/** Milliseconds by which clocks may differ before a cached time is not believed. */
const clockToleranceMs = 60_000;

/** Keeps the access token of one credential fresh. */
export function openTokens(options: TokenOptions): Tokens {
  const { credential, cache, clock, onSecret } = options;
  let held: TokenInUse | undefined;
  let exchanging: Promise<TokenInUse> | undefined;

  const hold = (cached: CachedToken, isFresh: boolean): TokenInUse => {
    onSecret(cached.token.reveal());
    held = { cached, renewAt: renewalTime(cached, clock.random()), isFresh, accepted: false };
    return held;
  };

  const isUsable = (candidate: TokenInUse): boolean => clock.now() < candidate.renewAt;

  /** The cached token, unless it is too old, from the future, or the very one that was refused. */
  const fromCache = (refused: Secret | undefined): TokenInUse | undefined => {
    const cached = cache.read(credential);
    if (!cached || cached.token.reveal() === refused?.reveal()) return undefined;
    if (cached.issuedAt > clock.now() + clockToleranceMs) return undefined;
    const candidate = hold(cached, false);
    return isUsable(candidate) ? candidate : undefined;
  };

  const exchange = async (): Promise<TokenInUse> => {
    const issuedAt = clock.now();
    const { token, expiresIn } = await options.exchange();
    // By this machine's clock alone, so that it needn't agree with the service's.
    const cached = {
      token: new Secret(token),
      issuedAt,
      expiresAt: issuedAt + (expiresIn ?? tokenLifetimeSeconds) * 1000,
    };
    await cache.write(credential, cached);
    return hold(cached, true);
  };

  const obtain = (refused: Secret | undefined): Promise<TokenInUse> => {
    // Another process may have exchanged while this one waited for its turn.
    const work = async (): Promise<TokenInUse> => fromCache(refused) ?? (await exchange());
    exchanging ??= cache.exclusively(credential, work, options.signal).finally(() => {
      exchanging = undefined;
    });
    return exchanging;
  };

  return {
    async get() {
      const usable = held && isUsable(held) ? held : fromCache(undefined);
      return (usable ?? (await obtain(undefined))).cached;
    },
    accept(token) {
      if (held && held.cached.token === token) held.accepted = true;
    },
    async replace(refused) {
      if (exchanging) return (await exchanging).cached;
      if (held && held.cached.token.reveal() !== refused.reveal()) return held.cached;
      if (held?.isFresh && !held.accepted) {
        await cache.remove(credential);
        return undefined;
      }
      return (await obtain(refused)).cached;
    },
  };
}

/** Some time before the end, not the same for every process that shares the token. */
function renewalTime({ issuedAt, expiresAt }: CachedToken, random: number): number {
  const early = Math.min(maxEarlyMs, (expiresAt - issuedAt) * earlyFraction);
  return expiresAt - early * (0.5 + random / 2);
}
