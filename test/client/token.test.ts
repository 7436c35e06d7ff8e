import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import type { CachedToken, TokenOwner } from '../../src/settings/token-cache.ts';
import { teamBody } from '../sandbox/samples.ts';
import { answer } from '../support/answer.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestApi, TestTokenCache } from '../support/open-test-api.ts';
import { requestsFromNow } from '../support/requests.ts';
import { refusal, startScriptedServer, success } from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';
import { useFaultySandbox } from './faulty-sandbox.ts';

const { sandbox, open, fail } = useFaultySandbox();
const day = 86_400_000;

/** Returns a promise and the function that resolves it. */
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
    const seen = await requestsFromNow(sandbox);
    const { api, cache, clock, requests } = await open();
    await Promise.all(Array.from({ length: 20 }, () => api.call('listTeams')));
    expect(await requests('createToken')).toBe(1);
    const keys = (await seen())
      .filter(({ operation }) => operation === 'listTeams')
      .map(({ key_id }) => key_id);
    expect(keys).toEqual(Array(20).fill(sandbox.keyId));
    expect(cache.token?.expiresAt).toBe(clock.now() + day);
    expect((await api.accessToken()).token.reveal()).toBe(cache.token?.token.reveal());
    expect(await requests('createToken')).toBe(1);
  });

  it('is taken from the cache if it is still valid', async () => {
    const { api: before, clock } = await open();
    const { token } = await before.accessToken();
    const { api, cache, requests } = await open();
    cache.token = cached(clock, token.reveal(), day / 2);
    await api.call('listTeams');
    expect(await requests('createToken')).toBe(0);
  });

  it.each([
    ['about to expire', day - 60_000],
    ['expired', day + 1],
    ['from the future', -2 * 60_000],
  ])('is replaced if the cached one is %s', async (_, age) => {
    const { api, cache, clock, requests } = await open();
    cache.token = cached(clock, 'not-this-one', age);
    await api.call('listTeams');
    expect(await requests('createToken')).toBe(1);
    // The cached token was not tried.
    expect(await requests('listTeams')).toBe(1);
  });

  it('is renewed early, at a time with jitter', async () => {
    for (const [random, early] of [
      [0, 150_000],
      [1, 300_000],
    ] as const) {
      const { api, clock, requests } = await open({ clock: new FakeClock({ random }) });
      await api.call('listTeams');
      clock.advance(day - early - 1);
      await api.call('listTeams');
      expect(await requests('createToken')).toBe(1);
      clock.advance(2);
      await api.call('listTeams');
      expect(await requests('createToken')).toBe(2);
    }
  });

  it('is not renewed all the time if it lasts a minute', async () => {
    await fail('createToken', answer({ access_token: 'short-lived', expires_in: '60' }));
    await fail('listTeams', answer([]));
    const { api, clock, requests } = await open();
    await api.call('listTeams');
    clock.advance(50_000);
    await api.call('listTeams');
    expect(await requests('createToken')).toBe(1);
  });
});

describe('a refused token', () => {
  it('is replaced once, however many requests were refused', async () => {
    const { api, cache, clock, requests } = await open();
    cache.token = cached(clock, 'revoked-token', 1000);
    await Promise.all(Array.from({ length: 50 }, () => api.call('listTeams')));
    expect(await requests('createToken')).toBe(1);
    expect(cache.token?.token.reveal()).not.toBe('revoked-token');
  });

  it('is replaced even if it was accepted before', async () => {
    const { api, cache, requests } = await open();
    await api.call('listTeams');
    const before = cache.token?.token.reveal();
    sandbox.advance(25 * 3_600_000);
    await api.call('listTeams');
    expect(await requests('createToken')).toBe(2);
    expect(cache.token?.token.reveal()).not.toBe(before);
  });

  it('is replaced by the new token of another call if its refusal arrives late', async () => {
    // A scripted server fixes the order of the answers: each waits for another.
    const server = await startScriptedServer();
    const [repeated, bothRepeated] = [gate(), gate()];
    const refused = refusal(401, 'UNAUTHORIZED', 'bad token');
    const [teams, bots] = ['/api/openapi/v1/teams', '/api/openapi/v1/bots'];
    server.on(`GET ${teams}`, refused, async () => {
      repeated.open();
      // Until then the new token is not confirmed to be valid.
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
    expect(server.seenAt('POST /api/openapi/auth/token')).toHaveLength(1);
  });

  it('that is fresh is a failure, and leaves no token in the cache', async () => {
    await fail('listTeams', { kind: 'status', status: 401 });
    const { api, cache, requests } = await open();
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'authentication', exitCode: 4 });
    expect(failed.message).toContain(
      `the access token that API key ${sandbox.keyId} has just got: This answer is a fault`,
    );
    expect(await requests('createToken')).toBe(1);
    expect(cache.token).toBeUndefined();
  });

  it('repeats a create, which was not executed', async () => {
    const { api, cache, clock, requests } = await open();
    cache.token = cached(clock, 'revoked-token', 1000);
    await api.call('createTeam', { body: teamBody() });
    expect(await requests('createTeam')).toBe(2);
    expect((await api.call('listTeams')).data).toHaveLength(1);
  });
});

describe('an API key that is refused', () => {
  it.each([
    ['current profile', 'default', 'botctl login'],
    ['--profile', 'acme prod', 'botctl login --profile "acme prod"'],
    ['environment', undefined, 'BOTCTL_KEY_ID and BOTCTL_KEY_SECRET'],
  ] as const)('names the remedy (%s)', async (source, profile, hint) => {
    const { baseUrl } = sandbox;
    const identity = { baseUrl, keyId: 'key-1', keySecret: new Secret('secret-of-the-key'), source, profile };
    const { api } = await open({ identity });
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.kind).toBe('authentication');
    expect(failed.message).toBe(
      `${baseUrl} doesn't accept the API key key-1: The key id or the key secret is wrong.`,
    );
    expect(String(failed.hint)).toContain(hint);
  });

  it('is exchanged again by the next call', async () => {
    await fail('createToken', { kind: 'status', status: 401 }, { times: 1 });
    const { api } = await open();
    expect((await failureOf(api.call('listTeams'))).kind).toBe('authentication');
    await api.call('listTeams');
  });

  it('does not make the outcome of a create unknown, and neither does a broken token request', async () => {
    await fail('createToken', { kind: 'reset', when: 'after' });
    const { api, requests } = await open({ retries: 1 });
    expect((await failureOf(api.call('createTeam', { body: {} }))).kind).toBe('network');
    expect(await requests('createToken')).toBe(2);
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
  it('exchange the key once if the cache supports locking', async () => {
    const tokens = new LockedCache();
    const clients = await Promise.all(Array.from({ length: 10 }, () => open({ tokens })));
    await Promise.all(clients.map(({ api }) => api.call('listTeams')));
    expect(await clients[0]?.requests('createToken')).toBe(1);
    const { baseUrl, keyId } = sandbox;
    expect(tokens.owners[0]).toMatchObject({ profile: 'default', baseUrl, keyId });
  });

  it('replace a refused token once', async () => {
    const tokens = new LockedCache();
    tokens.token = cached(new FakeClock(), 'revoked-token', 1000);
    const clients = await Promise.all(Array.from({ length: 10 }, () => open({ tokens })));
    await Promise.all(clients.map(({ api }) => api.call('listTeams')));
    expect(await clients[0]?.requests('createToken')).toBe(1);
  });
});

describe('the response of an exchange', () => {
  it.each([
    ['a token with a line break', 'two\nlines'],
    ['a token that no header takes', 'tökén-of-a-key'],
    ['a token without end', 'a'.repeat(10_000)],
  ])('with %s is refused, and nothing of it is cached', async (_, token) => {
    await fail('createToken', answer({ access_token: token, token_type: 'Bearer', expires_in: 86_400 }));
    const { api, cache, requests } = await open();
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.message).toContain(
      "accepted the API key, but its token can't stand in a header of a request.",
    );
    expect(await requests('listTeams')).toBe(0);
    expect(cache.token).toBeUndefined();
  });

  it('without a usable expiry is trusted for a year', async () => {
    await fail('createToken', answer({ access_token: 'a-token', token_type: 'Bearer', expires_in: 1e300 }));
    const { api, clock } = await open();
    const { expiresAt } = await api.accessToken();
    expect((expiresAt - clock.now()) / day).toBe(366);
  });
});
