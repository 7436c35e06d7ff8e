import { tokenLifetimeSeconds } from '../contract/token.ts';
import type { Clock } from '../lib/clock.ts';
import { Secret } from '../secrets/secret.ts';
import type { CachedToken, TokenCache, TokenCredential } from '../settings/token-cache.ts';

/** The token in use and its state. */
interface TokenInUse {
  readonly cached: CachedToken;
  /** Time from which the token is no longer used, shortly before it expires. */
  readonly renewAt: number;
  /**
   * True if this process exchanged the key for it: if the service then refuses the token, the key itself may be at
   * fault.
   */
  readonly isFresh: boolean;
  /** True if the service has accepted the token. */
  accepted: boolean;
}

/** The response to the exchange: the token, and its lifetime in seconds. */
export interface ExchangedToken {
  readonly token: string;
  readonly expiresIn: number | undefined;
}

export interface TokenOptions {
  readonly credential: TokenCredential;
  readonly cache: TokenCache;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Exchanges the key for a token.
   * @throws Failure
   */
  exchange(): Promise<ExchangedToken>;
  /** Called with every token value, so that it can be masked in the output. */
  onSecret(value: string): void;
}

/** Manages the access token of one credential. */
export interface Tokens {
  /** Returns a usable token: the current one, the cached one, or a new one. */
  get(): Promise<CachedToken>;
  /** Records that the service accepted this token. */
  accept(token: Secret): void;
  /**
   * Returns a token to replace one that the service refused, or undefined if the refused one was fresh, so that another
   * would be refused too. Concurrent requests that get the same refusal share one exchange.
   */
  replace(refused: Secret): Promise<CachedToken | undefined>;
}

/** A token is renewed early, by this fraction of its lifetime but at most these milliseconds. */
const earlyFraction = 0.1;
const maxEarlyMs = 5 * 60_000;

/** A cached token issued further in the future than this is ignored, because the clocks disagree. Milliseconds. */
const clockToleranceMs = 60_000;

/** Opens the token manager of one credential. */
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

  /** Returns the cached token, unless it is too old, from the future, or the one that was refused. */
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
    // Uses only this machine's clock, so that it needn't agree with the service's.
    const cached = {
      token: new Secret(token),
      issuedAt,
      expiresAt: issuedAt + (expiresIn ?? tokenLifetimeSeconds) * 1000,
    };
    await cache.write(credential, cached);
    return hold(cached, true);
  };

  const obtain = (refused: Secret | undefined): Promise<TokenInUse> => {
    // Another process may have exchanged the key while this one waited for the lock.
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

/** Returns a time before the expiry, randomized so that processes that share the token don't all renew at once. */
function renewalTime({ issuedAt, expiresAt }: CachedToken, random: number): number {
  const early = Math.min(maxEarlyMs, (expiresAt - issuedAt) * earlyFraction);
  return expiresAt - early * (0.5 + random / 2);
}
