import { onTestFinished } from 'vitest';
import type { Api } from '../../src/client/api.ts';
import { type OpenOptions, openApi } from '../../src/client/open.ts';
import { Secret } from '../../src/secrets/secret.ts';
import type { CachedToken, TokenCache, TokenOwner } from '../../src/settings/token-cache.ts';

import { FakeClock } from './fake-clock.ts';

export const keySecret = 'sk-test-secret/with+signs=42';

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

/** An API opened for a test, with its logs. */
export interface TestApi {
  readonly api: Api;
  readonly clock: FakeClock;
  readonly cache: TestTokenCache;
  readonly notes: string[];
  readonly waits: string[];
  readonly debug: string[];
}

/** Options of the API, and its clock. */
export interface TestOptions extends Partial<Omit<OpenOptions, 'clock'>> {
  readonly clock?: FakeClock;
}

/** Opens the API at an address and closes it with the test. Jitter has its largest value. */
export function openTestApi(baseUrl: string, options: TestOptions = {}): TestApi {
  const { clock = new FakeClock({ random: 1 }), ...rest } = options;
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
    onNote: (text) => notes.push(text),
    onWait: (text) => waits.push(text),
    onDebug: (text) => debug.push(text),
    ...rest,
  });
  onTestFinished(() => api.close());
  return { api, clock, cache, notes, waits, debug };
}
