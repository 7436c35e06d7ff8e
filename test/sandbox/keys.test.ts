import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi, expectRefusal, issuePaths } from './api.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

const hour = 3_600_000;
const listPath = '/api/openapi/v1/teams';

async function createKey(body: { name?: string; expires_at?: string } = {}) {
  return (await api.ok('createKey', { body: { name: 'CI', ...body } })).data;
}

describe('the token endpoint', () => {
  it('exchanges the first key for a token of 24 hours', async () => {
    const { data } = await api.ok('createToken', {
      body: { key_id: sandbox.keyId, key_secret: sandbox.keySecret.reveal() },
    });
    expect(data).toMatchObject({ token_type: 'Bearer', expires_in: 86_400 });
    await api.ok('listTeams', { token: data.access_token });
  });

  it.each([
    ['an unknown key', { key_id: 'key_nobody', key_secret: 'x' }],
    ['an empty key', { key_id: '', key_secret: '' }],
    ['a secret that is too long', { key_id: 'key', key_secret: 'x'.repeat(100_000) }],
  ])('refuses %s', async (_, body) => {
    await api.refused('createToken', 'UNAUTHORIZED', { body });
  });

  it('refuses a wrong secret in the same way as an unknown key', async () => {
    const wrong = await api.refused('createToken', 'UNAUTHORIZED', {
      body: { key_id: sandbox.keyId, key_secret: `${sandbox.keySecret.reveal()}x` },
    });
    const unknown = await api.refused('createToken', 'UNAUTHORIZED', {
      body: { key_id: 'x', key_secret: 'x' },
    });
    expect(wrong).toEqual(unknown);
  });

  it.each([
    [{}, ['key_id', 'key_secret']],
    [{ key_id: 1, key_secret: ['x'] }, ['key_id', 'key_secret']],
    [{ key_id: 'x', key_secret: 'x', scope: 'global' }, ['scope']],
  ])('refuses the body %j', async (body, paths) => {
    expect(issuePaths(await api.refused('createToken', 'BAD_REQUEST', { body }))).toEqual(paths);
  });
});

describe('the bearer token', () => {
  it.each([
    ['none', null],
    ['an empty one', ''],
    ['no JWT', 'abc'],
    ['an unsigned one', `${encode({ alg: 'none' })}.${encode({ sub: 'key', exp: 9_999_999_999 })}.`],
  ])('refuses %s, and names the authentication scheme', async (_, token) => {
    const answer = await api.send('GET', listPath, { token });
    expectRefusal(answer, 'UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('refuses a token that was changed, or signed with another secret', async () => {
    const [header = '', payload = '', signature = ''] = (await api.token()).split('.');
    const forged = createHmac('sha256', 'guess').update(`${header}.${payload}`).digest('base64url');
    const other = encode({ sub: sandbox.keyId, exp: 9_999_999_999 });
    for (const token of [`${header}.${payload}.${forged}`, `${header}.${other}.${signature}`]) {
      await api.refused('listTeams', 'UNAUTHORIZED', { token });
    }
    const stranger = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(sandbox.keyId)
      .setExpirationTime('1h')
      .sign(Buffer.alloc(32));
    await api.refused('listTeams', 'UNAUTHORIZED', { token: stranger });
  });

  it('refuses other schemes, and accepts Bearer in any case', async () => {
    const token = await api.token();
    const call = (authorization: string) =>
      api.send('GET', listPath, { token: null, headers: { authorization } });
    expectRefusal(await call(`Basic ${token}`), 'UNAUTHORIZED');
    expectRefusal(await call(token), 'UNAUTHORIZED');
    expect((await call(`bearer ${token}`)).status).toBe(200);
  });

  it('expires after 24 hours', async () => {
    const token = await api.token();
    sandbox.advance(24 * hour - 60_000);
    await api.ok('listTeams', { token });
    sandbox.advance(61_000);
    await api.refused('listTeams', 'UNAUTHORIZED', { token });
    await api.ok('listTeams', { token: await api.token() });
  });

  it('is checked before everything else', async () => {
    await api.refused('createTeam', 'UNAUTHORIZED', { body: { nonsense: true }, token: null });
    await api.refused('getTeam', 'UNAUTHORIZED', { path: { id: 'x' }, token: null });
  });
});

describe('creating a key', () => {
  it('shows the secret once', async () => {
    const created = await createKey({ name: 'CI' });
    expect(created.key_secret.length).toBeGreaterThan(43);
    const { data } = await api.ok('getKey', { path: { keyId: created.key_id } });
    expect(data).toEqual({
      key_id: created.key_id,
      name: 'CI',
      scope: 'global',
      is_active: true,
      created_at: created.created_at,
    });
    const listed = await api.send('GET', '/api/openapi/v1/api-keys');
    expect(JSON.stringify(listed.body)).not.toContain('secret');
  });

  it('creates a key that can log in', async () => {
    await api.ok('listKeys', { token: await api.token(await createKey()) });
  });

  it('expires a key on its date, with the tokens issued to it', async () => {
    const key = await createKey({ expires_at: new Date(Date.now() + hour).toISOString() });
    const token = await api.token(key);
    await api.ok('listTeams', { token });
    sandbox.advance(hour + 1000);
    await api.refused('listTeams', 'UNAUTHORIZED', { token });
    const { key_id, key_secret } = key;
    await api.refused('createToken', 'UNAUTHORIZED', { body: { key_id, key_secret } });
  });

  it('stores an expiry given in any time zone', async () => {
    const { key_id } = await createKey({ expires_at: '2099-12-31T21:00-03:00' });
    const { data } = await api.ok('getKey', { path: { keyId: key_id } });
    expect(data.expires_at).toBe('2100-01-01T00:00:00.000Z');
  });

  it.each([
    [{}, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 'CI', expires_at: 'tomorrow' }, ['expires_at']],
    [{ name: 'CI', expires_at: '2027-02-30T00:00:00Z' }, ['expires_at']],
    [{ name: 'CI', expires_at: null }, ['expires_at']],
    [{ name: 'CI', scope: 'global' }, ['scope']],
  ])('refuses %j', async (body, paths) => {
    expect(issuePaths(await api.refused('createKey', 'BAD_REQUEST', { body }))).toEqual(paths);
  });

  it('refuses an expiry in the past, by the clock of the sandbox', async () => {
    const soon = new Date(Date.now() + hour).toISOString();
    sandbox.advance(2 * hour);
    const late = { name: 'CI', expires_at: '9999-12-31T23:59:59-03:00' };
    await api.refused('createKey', 'BAD_REQUEST', { body: late });
    const refusal = await api.refused('createKey', 'BAD_REQUEST', { body: { name: 'CI', expires_at: soon } });
    expect(refusal.error).toContain('future');
  });
});

describe('listing keys', () => {
  it('lists all, oldest first, with their last use', async () => {
    sandbox.advance(1000);
    const { key_id } = await createKey();
    const { data } = await api.ok('listKeys');
    expect(data.map((key) => key.key_id)).toEqual([sandbox.keyId, key_id]);
    expect(data[0]?.last_used).toBeDefined();
    expect(data[1]).not.toHaveProperty('last_used');
  });

  it('records the last use to the minute', async () => {
    const lastUsed = async () =>
      (await api.ok('getKey', { path: { keyId: sandbox.keyId } })).data.last_used ?? '';
    const first = await lastUsed();
    sandbox.advance(61_000);
    expect(Date.parse(await lastUsed()) - Date.parse(first)).toBeGreaterThanOrEqual(61_000);
  });
});

describe('deleting a key', () => {
  it('deletes it for good, with the tokens issued to it', async () => {
    const key = await createKey();
    const token = await api.token(key);
    const path = { keyId: key.key_id };
    expect((await api.ok('deleteKey', { path })).data.message).toContain(key.key_id);
    await api.refused('getKey', 'NOT_FOUND', { path });
    await api.refused('deleteKey', 'NOT_FOUND', { path });
    await api.refused('listTeams', 'UNAUTHORIZED', { token });
    await api.refused('createToken', 'UNAUTHORIZED', {
      body: { key_id: key.key_id, key_secret: key.key_secret },
    });
  });

  it('applies to the next call of its callers', async () => {
    const key = await createKey();
    const token = await api.token(key);
    for (let call = 0; call < 2; call += 1) await api.ok('listTeams', { token });
    await callControl(sandbox.control, '/deactivate', { key: key.key_id });
    await api.refused('listTeams', 'UNAUTHORIZED', { token });
  });

  it('refuses to delete the key of the call', async () => {
    const path = { keyId: sandbox.keyId };
    await api.refused('deleteKey', 'BAD_REQUEST', { path });
    const other = await api.token(await createKey());
    await api.ok('deleteKey', { path, token: other });
    await api.ok('listKeys', { token: other });
  });

  it.each(['key_nobody', 'a b/c', 'ключ', 'a\0b', '%'])('does not find %j', async (keyId) => {
    await api.refused('getKey', 'NOT_FOUND', { path: { keyId } });
    await api.refused('deleteKey', 'NOT_FOUND', { path: { keyId } });
  });
});

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
