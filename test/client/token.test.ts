import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import type { CachedToken, TokenOwner } from '../../src/settings/tokens.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestApi, TestTokenCache } from '../support/open-test-api.ts';
import {
  refusal,
  type ScriptedServer,
  type SeenRequest,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';

const teams = '/api/openapi/v1/teams';
const exchange = 'POST /api/openapi/auth/token';
const day = 86_400_000;

/** Lets only these tokens list teams. */
function accept(server: ScriptedServer, isValid: (token: string) => boolean): void {
  server.on(`GET ${teams}`, ({ headers }: SeenRequest) =>
    isValid(headers.authorization?.replace('Bearer ', '') ?? '')
      ? success([])
      : refusal(401, 'UNAUTHORIZED', 'bad token'),
  );
}

/** Resolves when it is told to. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

function cached(clock: FakeClock, token: string, age: number, lifetime = day): CachedToken {
  const issuedAt = clock.now() - age;
  return { token: new Secret(token), issuedAt, expiresAt: issuedAt + lifetime };
}

describe('the token', () => {
  it('is exchanged once and cached', async () => {
    const server = await startScriptedServer();
    accept(server, () => true);
    const { api, cache, clock } = openTestApi(server.url);
    await Promise.all(Array.from({ length: 20 }, () => api.call('listTeams')));
    expect(server.seenAt(exchange)).toHaveLength(1);
    expect(JSON.parse(String(server.seenAt(exchange)[0]?.body))).toMatchObject({ key_id: 'key-1' });
    expect(cache.token?.token.reveal()).toBe('token-number-1');
    expect(cache.token?.expiresAt).toBe(clock.now() + day);
    expect((await api.accessToken()).token.reveal()).toBe('token-number-1');
  });

  it('of the cache is used where it is still good', async () => {
    const server = await startScriptedServer();
    accept(server, (token) => token === 'from-the-cache');
    const { api, cache, clock } = openTestApi(server.url);
    cache.token = cached(clock, 'from-the-cache', day / 2);
    await api.call('listTeams');
    expect(server.seenAt(exchange)).toHaveLength(0);
  });

  it.each([
    ['about to expire', day - 60_000],
    ['expired', day + 1],
    ['from the future', -2 * 60_000],
  ])('of the cache that is %s is replaced', async (_, age) => {
    const server = await startScriptedServer();
    accept(server, () => true);
    const { api, cache, clock } = openTestApi(server.url);
    cache.token = cached(clock, 'not-this-one', age);
    await api.call('listTeams');
    expect(server.seenAt(exchange)).toHaveLength(1);
  });

  it('is renewed early, at a time that jitter spreads', async () => {
    for (const [random, early] of [
      [0, 150_000],
      [1, 300_000],
    ] as const) {
      const server = await startScriptedServer();
      accept(server, () => true);
      const { api, clock } = openTestApi(server.url, { clock: new FakeClock({ random }) });
      await api.call('listTeams');
      clock.advance(day - early - 1);
      await api.call('listTeams');
      expect(server.seenAt(exchange)).toHaveLength(1);
      clock.advance(2);
      await api.call('listTeams');
      expect(server.seenAt(exchange)).toHaveLength(2);
    }
  });

  it('that lasts a minute is not renewed all the time', async () => {
    const server = await startScriptedServer();
    accept(server, () => true);
    server.on(exchange, success({ access_token: 'short-lived', expires_in: '60' }));
    const { api, clock } = openTestApi(server.url);
    await api.call('listTeams');
    clock.advance(50_000);
    await api.call('listTeams');
    expect(server.seenAt(exchange)).toHaveLength(1);
  });
});

describe('a refused token', () => {
  it('is replaced once, however many requests met the refusal', async () => {
    const server = await startScriptedServer();
    accept(server, (token) => token === 'token-number-1');
    const { api, cache, clock } = openTestApi(server.url);
    cache.token = cached(clock, 'revoked-token', 1000);
    await Promise.all(Array.from({ length: 50 }, () => api.call('listTeams')));
    expect(server.seenAt(exchange)).toHaveLength(1);
    expect(cache.token?.token.reveal()).toBe('token-number-1');
  });

  it('that was accepted before is replaced too', async () => {
    const server = await startScriptedServer();
    let valid = 'token-number-1';
    accept(server, (token) => token === valid);
    const { api } = openTestApi(server.url);
    await api.call('listTeams');
    valid = 'token-number-2';
    await api.call('listTeams');
    expect(server.seenAt(exchange)).toHaveLength(2);
  });

  it('whose refusal comes late, when another call goes on with the new token, is replaced by that one', async () => {
    const server = await startScriptedServer();
    const [repeated, bothRepeated] = [gate(), gate()];
    const refused = refusal(401, 'UNAUTHORIZED', 'bad token');
    const bots = '/api/openapi/v1/bots';
    server.on(`GET ${teams}`, refused, async () => {
      repeated.open();
      // Until then nothing says that the new token is any good.
      await bothRepeated.passed;
      return success([]);
    });
    const late = async () => {
      await repeated.passed;
      return refused;
    };
    server.on(`GET ${bots}`, late, () => {
      bothRepeated.open();
      return success({ bots: [] });
    });
    const { api, cache, clock } = openTestApi(server.url);
    cache.token = cached(clock, 'revoked-token', 1000);
    const second = api.call('listBots').finally(bothRepeated.open);
    const answers = await Promise.all([api.call('listTeams'), second]);
    expect(answers.map(({ data }) => data)).toEqual([[], { bots: [] }]);
    const tokens = server.seenAt(`GET ${bots}`).map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(['Bearer revoked-token', 'Bearer token-number-1']);
    expect(server.seenAt(exchange)).toHaveLength(1);
  });

  it('that is fresh is a failure, and leaves no token behind', async () => {
    const server = await startScriptedServer();
    accept(server, () => false);
    const { api, cache } = openTestApi(server.url);
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'authentication', exitCode: 4 });
    expect(failed.message).toContain('the access token that API key key-1 has just got: bad token.');
    expect(server.seenAt(exchange)).toHaveLength(1);
    expect(cache.token).toBeUndefined();
  });

  it('repeats a create, which was not executed', async () => {
    const server = await startScriptedServer();
    server.on(`POST ${teams}`, refusal(401, 'UNAUTHORIZED', 'expired'), success({ team: {}, user: {} }));
    const { api, cache, clock } = openTestApi(server.url);
    cache.token = cached(clock, 'revoked-token', 1000);
    server.on(`POST ${teams}`, refusal(401, 'UNAUTHORIZED', 'expired'), success({}));
    await api.call('createTeam', { body: {} });
    expect(server.seenAt(`POST ${teams}`)).toHaveLength(2);
  });
});

describe('an API key that is refused', () => {
  it.each([
    ['current profile', 'default', 'botctl login'],
    ['--profile', 'acme prod', 'botctl login --profile "acme prod"'],
    ['environment', undefined, 'BOTCTL_KEY_ID and BOTCTL_KEY_SECRET'],
  ] as const)('names the way out (%s)', async (source, profile, hint) => {
    const server = await startScriptedServer();
    server.on(exchange, refusal(401, 'UNAUTHORIZED', 'unknown key'));
    const identity = {
      baseUrl: server.url,
      keyId: 'key-1',
      keySecret: new Secret('secret-of-the-key'),
      source,
      profile,
    };
    const { api } = openTestApi(server.url, { identity });
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.kind).toBe('authentication');
    expect(failed.message).toBe(`${server.url} doesn't accept the API key key-1: unknown key.`);
    expect(String(failed.hint)).toContain(hint);
  });

  it('is asked about again by the next call', async () => {
    const server = await startScriptedServer();
    accept(server, () => true);
    server.on(exchange, refusal(401, 'UNAUTHORIZED', 'not yet'), success({ access_token: 'now-it-works' }));
    const { api } = openTestApi(server.url);
    await failureOf(api.call('listTeams'));
    await api.call('listTeams');
  });

  it('is no unknown outcome for a create, nor is a token call that breaks', async () => {
    const server = await startScriptedServer();
    server.on(exchange, 'reset');
    const { api } = openTestApi(server.url, { retries: 1 });
    expect((await failureOf(api.call('createTeam', { body: {} }))).kind).toBe('network');
    expect(server.seenAt(exchange)).toHaveLength(2);
  });
});

/** A cache with a lock that several clients share, as processes share a directory. */
class LockedCache extends TestTokenCache {
  #last: Promise<unknown> = Promise.resolve();
  readonly owners: TokenOwner[] = [];

  override exclusively<T>(owner: TokenOwner, work: () => Promise<T>): Promise<T> {
    this.owners.push(owner);
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

describe('many clients of one cache', () => {
  it('make one exchange, where the cache can lock', async () => {
    const server = await startScriptedServer();
    accept(server, () => true);
    const tokens = new LockedCache();
    const clients = Array.from({ length: 50 }, () => openTestApi(server.url, { tokens }).api);
    await Promise.all(clients.map((api) => api.call('listTeams')));
    expect(server.seenAt(exchange)).toHaveLength(1);
    expect(tokens.owners[0]).toMatchObject({ profile: 'default', baseUrl: server.url, keyId: 'key-1' });
  });

  it('replace a refused token once', async () => {
    const server = await startScriptedServer();
    accept(server, (token) => token === 'token-number-1');
    const tokens = new LockedCache();
    tokens.token = cached(new FakeClock(), 'revoked-token', 1000);
    const clients = Array.from({ length: 10 }, () => openTestApi(server.url, { tokens }).api);
    await Promise.all(clients.map((api) => api.call('listTeams')));
    expect(server.seenAt(exchange)).toHaveLength(1);
  });
});

describe('the answer of an exchange', () => {
  it.each([
    ['a token with a line break', 'two\nlines'],
    ['a token that no header takes', 'tökén-of-a-key'],
    ['a token without end', 'a'.repeat(10_000)],
  ])('with %s is refused, and nothing is kept of it', async (_, token) => {
    const server = await startScriptedServer();
    server.on(exchange, success({ access_token: token, token_type: 'Bearer', expires_in: 86_400 }));
    const { api, cache } = openTestApi(server.url);
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.message).toContain(
      "accepted the API key, and its token can't stand in a header of a request.",
    );
    expect(server.seenAt(`GET ${teams}`)).toEqual([]);
    expect(cache.token).toBeUndefined();
  });

  it('that lasts for ever is believed for a year', async () => {
    const server = await startScriptedServer();
    server.on(exchange, success({ access_token: 'a-token', token_type: 'Bearer', expires_in: 1e300 }));
    const clock = new FakeClock();
    const { api } = openTestApi(server.url, { clock });
    const { expiresAt } = await api.accessToken();
    expect((expiresAt - clock.now()) / day).toBe(366);
  });
});
