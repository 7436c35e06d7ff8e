import { onTestFinished } from 'vitest';
import type { Api } from '../../src/client/api.ts';
import { type OpenOptions, openApi } from '../../src/client/open.ts';
import type { Clock } from '../../src/io.ts';
import { Secret } from '../../src/secret.ts';
import type { CachedToken, TokenCache, TokenOwner } from '../../src/settings/tokens.ts';

export const keySecret = 'sk-test-secret/with+signs=42';

/** A clock whose waits take no time. It remembers them. */
export class TestClock implements Clock {
  readonly waits: number[] = [];
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.waits.push(milliseconds);
    this.#now += milliseconds;
  }
}

/** A token cache in memory. */
export class TestTokenCache implements TokenCache {
  token: CachedToken | undefined;
  removed = 0;

  read(): CachedToken | undefined {
    return this.token;
  }

  async write(_owner: TokenOwner, token: CachedToken): Promise<void> {
    this.token = token;
  }

  exclusively<T>(_owner: TokenOwner, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async remove(): Promise<void> {
    this.removed += 1;
    this.token = undefined;
  }
}

/** An API open for a test, with what it said on the way. */
export interface TestApi {
  readonly api: Api;
  readonly clock: TestClock;
  readonly cache: TestTokenCache;
  readonly notes: string[];
  readonly waits: string[];
  readonly debug: string[];
}

/** Opens the API at an address; it is closed with the test. Jitter is at its longest. */
export function openTestApi(baseUrl: string, options: Partial<OpenOptions> = {}): TestApi {
  const clock = new TestClock();
  const cache = new TestTokenCache();
  const notes: string[] = [];
  const waits: string[] = [];
  const debug: string[] = [];
  const api = openApi({
    identity: {
      baseUrl,
      keyId: 'key-1',
      keySecret: new Secret(keySecret),
      source: 'current profile',
      profile: 'default',
    },
    clock,
    tokens: cache,
    env: {},
    signal: new AbortController().signal,
    random: () => 1,
    onNote: (text) => notes.push(text),
    onWait: (text) => waits.push(text),
    onDebug: (text) => debug.push(text),
    ...options,
  });
  onTestFinished(() => api.close());
  return { api, clock, cache, notes, waits, debug };
}
