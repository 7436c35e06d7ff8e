import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { type CachedToken, createTokenCache, type TokenCredential } from '../../src/settings/token-cache.ts';
import { modeOf, settingsIn, temporaryDirectory, unwritableDirectory } from './support.ts';

const owner: TokenCredential = {
  profile: 'default',
  baseUrl: 'https://api.example.com',
  keyId: 'key-1',
  keySecret: new Secret('secret-1'),
};

function token(value: string, rest: Partial<CachedToken> = {}): CachedToken {
  return { token: new Secret(value), issuedAt: 1_000, expiresAt: 90_000, ...rest };
}

function cacheIn(directory: string, now = 2_000) {
  return createTokenCache(directory, () => now);
}

function onlyFile(directory: string): string {
  const [name = ''] = readdirSync(join(directory, 'tokens'));
  return join(directory, 'tokens', name);
}

test('is stored beyond the process that fetched it', async () => {
  const directory = temporaryDirectory();
  await cacheIn(directory).write(owner, token('abc'));
  const found = cacheIn(directory).read(owner);
  expect(found?.token.reveal()).toBe('abc');
  expect(found).toMatchObject({ issuedAt: 1_000, expiresAt: 90_000 });
});

test.each<[string, Partial<TokenCredential>]>([
  ['profile', { profile: 'staging' }],
  ['profile', { profile: undefined }],
  ['profile', { profile: 'environment' }],
  ['origin', { baseUrl: 'https://api.example.com:8443' }],
  ['key', { keyId: 'key-2' }],
])('is not returned for another %s', async (_, difference) => {
  const cache = cacheIn(temporaryDirectory());
  await cache.write(owner, token('abc'));
  const other = { ...owner, ...difference };
  expect(cache.read(other)).toBeUndefined();
  await cache.write(other, token('other'));
  expect(cache.read(owner)?.token.reveal()).toBe('abc');
});

test('is not returned for another secret of the key, and reveals nothing of the secret', async () => {
  const directory = temporaryDirectory();
  const cache = cacheIn(directory);
  await cache.write(owner, token('abc'));
  expect(cache.read({ ...owner, keySecret: new Secret('secret-2') })).toBeUndefined();
  expect(cache.read(owner)?.token.reveal()).toBe('abc');
  expect(readFileSync(onlyFile(directory), 'utf8')).not.toContain('secret-1');
});

test('is the same for every path of an origin, so that a logout leaves none', async () => {
  const cache = cacheIn(temporaryDirectory());
  await cache.write({ ...owner, baseUrl: 'https://api.example.com/v2' }, token('abc'));
  expect(cache.read(owner)?.token.reveal()).toBe('abc');
  await cache.remove(owner);
  expect(cache.read({ ...owner, baseUrl: 'https://api.example.com/v2' })).toBeUndefined();
});

test('is not returned if it has expired', async () => {
  const directory = temporaryDirectory();
  await cacheIn(directory).write(owner, token('abc'));
  expect(cacheIn(directory, 89_999).read(owner)).toBeDefined();
  expect(cacheIn(directory, 90_000).read(owner)).toBeUndefined();
});

test('can be removed if there is none', async () => {
  const directory = temporaryDirectory();
  await cacheIn(directory).remove(owner);
  expect(existsSync(join(directory, 'tokens'))).toBe(false);
});

test('is readable only for this user, and leaves no other files', async () => {
  const directory = join(temporaryDirectory(), 'cache');
  await cacheIn(directory).write(owner, token('abc'));
  expect(modeOf(directory)).toBe(0o700);
  expect(modeOf(join(directory, 'tokens'))).toBe(0o700);
  expect(modeOf(onlyFile(directory))).toBe(0o600);
  expect(readdirSync(join(directory, 'tokens'))).toHaveLength(1);
});

test.each(['', 'nonsense', '[]', 'null', '{"access_token":1}', '{"access_token":"abc"}'])(
  'is not read from a file with %j, and the next write repairs it',
  async (text) => {
    const directory = temporaryDirectory();
    const cache = cacheIn(directory);
    await cache.write(owner, token('abc'));
    writeFileSync(onlyFile(directory), text);
    expect(cache.read(owner)).toBeUndefined();
    await cache.write(owner, token('new'));
    expect(cache.read(owner)?.token.reveal()).toBe('new');
  },
);

test("is not read from a file that was renamed to another owner's", async () => {
  const directory = temporaryDirectory();
  const cache = cacheIn(directory);
  await cache.write(owner, token('abc'));
  const mine = onlyFile(directory);
  const text = readFileSync(mine, 'utf8');
  await cache.remove(owner);
  await cache.write({ ...owner, keyId: 'key-2' }, token('other'));
  writeFileSync(onlyFile(directory), text);
  expect(cache.read({ ...owner, keyId: 'key-2' })).toBeUndefined();
});

test('remains intact with concurrent writers', async () => {
  const directory = temporaryDirectory();
  const values = Array.from({ length: 20 }, (_, index) => `token-${index}`);
  await Promise.all(values.map((value) => cacheIn(directory).write(owner, token(value))));
  expect(values).toContain(cacheIn(directory).read(owner)?.token.reveal());
  expect(readdirSync(join(directory, 'tokens'))).toHaveLength(1);
});

test('is stored below BOTCTL_CONFIG_DIR', async () => {
  const directory = temporaryDirectory();
  const { paths, tokens } = settingsIn(directory);
  await tokens.write(owner, token('abc', { expiresAt: Number.MAX_SAFE_INTEGER }));
  expect(paths).toEqual({
    config: directory,
    cache: join(directory, 'cache'),
    data: join(directory, 'data'),
  });
  expect(readdirSync(join(paths.cache, 'tokens'))).toHaveLength(1);
});

test('is exchanged once at a time for a credential, for any profile', async () => {
  const directory = temporaryDirectory();
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    // Each round gives the others a chance to run.
    for (let round = 0; round < 20; round += 1) await nextRound();
    running -= 1;
  };
  const owners = [owner, { ...owner, profile: 'staging' }, { ...owner, profile: undefined }];
  await Promise.all(owners.map((one) => cacheIn(directory).exclusively(one, work)));
  expect(most).toBe(1);
  expect(readdirSync(join(directory, 'tokens'))).toEqual([]);
});

test('is locked separately for another credential', async () => {
  const cache = cacheIn(temporaryDirectory());
  const inner = (): Promise<string> => cache.exclusively({ ...owner, keyId: 'key-2' }, async () => 'inner');
  expect(await cache.exclusively(owner, inner)).toBe('inner');
});

test('releases the lock if the exchange fails, and forwards the failure', async () => {
  const cache = cacheIn(temporaryDirectory());
  const fail = (): Promise<never> => Promise.reject(new Error('no token'));
  await expect(cache.exclusively(owner, fail)).rejects.toThrow('no token');
  expect(await cache.exclusively(owner, async () => 'again')).toBe('again');
});

test('stops waiting for the lock on Ctrl-C', async () => {
  const cache = cacheIn(temporaryDirectory());
  const abort = new AbortController();
  await cache.exclusively(owner, async () => {
    const second = cache.exclusively(owner, async () => 'never', abort.signal);
    abort.abort(new Error('interrupted'));
    await expect(second).rejects.toThrow('interrupted');
  });
});

test('is exchanged even if no lock can be acquired', async () => {
  expect(await cacheIn(unwritableDirectory()).exclusively(owner, async () => 'done')).toBe('done');
});

test('removes responses that earlier versions stored for doctor --learn with the next token, and with a logout', async () => {
  const directory = temporaryDirectory();
  const learned = join(directory, 'learned');
  for (const change of [
    () => cacheIn(directory).write(owner, token('abc')),
    () => cacheIn(directory).remove(owner),
  ]) {
    mkdirSync(learned);
    writeFileSync(join(learned, 'sealed'), 'x');
    await change();
    expect(existsSync(learned)).toBe(false);
  }
});
