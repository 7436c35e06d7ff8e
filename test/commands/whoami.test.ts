import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { settingsIn, unwritableDirectory } from '../settings/support.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { environmentOf, type KeyService, refusal, startKeyService } from './keys/service.ts';

let service: KeyService;
let directory: string;

beforeEach(async () => {
  service = await startKeyService();
  directory = temporaryDirectory();
  const { key_id: keyId, key_secret: secret } = service.key;
  const profile = { baseUrl: service.baseUrl, keyId, keySecret: new Secret(secret) };
  await settingsIn(directory).profiles.save({ name: 'default', ...profile });
  await settingsIn(directory).profiles.save({ name: 'staging', ...profile });
});

async function whoami(args: readonly string[] = [], env: Record<string, string> = {}) {
  const line = ['whoami', '-o', 'json', '--retries', '0', ...args];
  const ran = await botctl(line, { env: { BOTCTL_CONFIG_DIR: directory, ...env } });
  expect(ran.stdout + ran.stderr).not.toMatch(/secret-of|token-of/);
  return { ...ran, row: ran.exitCode === 0 ? (JSON.parse(ran.stdout) as Record<string, unknown>) : {} };
}

test('has the same members whatever is known', async () => {
  const { row, exitCode, stderr } = await whoami();
  expect(exitCode, stderr).toBe(0);
  expect(row).toEqual({
    profile: 'default',
    source: 'current profile',
    base_url: service.baseUrl,
    origin: service.baseUrl,
    key_id: 'key-one',
    key_name: 'first key',
    key_expires_at: null,
    token_age: expect.any(Number),
    token_expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

test('shows the origin on a card only where the address says more', async () => {
  const card = async (baseUrl: string): Promise<string> => {
    const env = { ...environmentOf(service), BOTCTL_BASE_URL: baseUrl, BOTCTL_CONFIG_DIR: directory };
    return (await botctl(['whoami', '--retries', '0'], { env, terminal: true })).stdout;
  };
  expect(await card(service.baseUrl)).not.toContain('Origin');
  expect(await card(`${service.baseUrl}/prefix`)).toContain('Origin');
});

test.each([
  ['--profile', ['--profile', 'staging'], {}, 'staging'],
  ['BOTCTL_PROFILE', [], { BOTCTL_PROFILE: 'staging' }, 'staging'],
])('says that %s won', async (source, args, env, profile) => {
  expect((await whoami(args, env)).row).toMatchObject({ source, profile });
});

test('says that the environment won, without a home to write to', async () => {
  directory = unwritableDirectory();
  const { row, exitCode, stderr } = await whoami([], environmentOf(service));
  expect(exitCode, stderr).toBe(0);
  expect(row).toMatchObject({ source: 'environment', profile: null, key_name: 'first key', token_age: 0 });
});

test('tells when the key expires, and the age of a cached token', async () => {
  service.keys[0] = { ...service.key, expires_at: '2099-01-01T00:00:00.000Z' };
  const keySecret = new Secret('secret-of-key-one');
  const owner = { profile: 'default', baseUrl: service.baseUrl, keyId: 'key-one', keySecret };
  const issuedAt = Date.now() - 120_000;
  await settingsIn(directory).tokens.write(owner, {
    token: new Secret('token-of-key-one'),
    issuedAt,
    expiresAt: issuedAt + 86_400_000,
  });
  const { row } = await whoami();
  expect(row.key_expires_at).toBe('2099-01-01T00:00:00.000Z');
  expect(row.token_age).toBeGreaterThanOrEqual(120);
  expect(service.exchanges()).toBe(0);
});

test('a wrong secret is refused, whatever token the right one has left', async () => {
  const env = environmentOf(service);
  expect((await whoami([], env)).exitCode).toBe(0);
  const ran = await whoami([], { ...env, BOTCTL_KEY_SECRET: 'mistyped' });
  expect(ran.exitCode, ran.stderr).toBe(4);
  expect(ran.stderr).toContain('Check BOTCTL_KEY_ID and BOTCTL_KEY_SECRET.');
  const file = join(temporaryDirectory(), 'secret');
  writeFileSync(file, 'mistyped', { mode: 0o600 });
  const { stderr } = await whoami([], { ...env, BOTCTL_KEY_SECRET: '', BOTCTL_KEY_SECRET_FILE: file });
  expect(stderr).toContain('Check BOTCTL_KEY_ID and BOTCTL_KEY_SECRET_FILE.');
  expect((await whoami([], env)).exitCode).toBe(0);
  expect(service.exchanges()).toBe(3);
});

test('signed out: exit 4 and the way in', async () => {
  directory = temporaryDirectory();
  const { exitCode, stderr, stdout } = await whoami();
  expect(exitCode).toBe(4);
  expect(stdout).toBe('');
  expect(stderr).toContain('botctl login');
});

test('signed out under -o json: the last line of stderr says so', async () => {
  directory = temporaryDirectory();
  const { stderr } = await whoami();
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    error: { code: 'AUTHENTICATION', exit: 4, hint: expect.stringContaining('botctl login') },
  });
});

test.each([
  ['BOTCTL_KEY_SECRET', { BOTCTL_KEY_ID: 'key-one' }],
  ['BOTCTL_KEY_ID', { BOTCTL_KEY_SECRET: 'secret-of-key-one' }],
  ['BOTCTL_KEY_ID', { BOTCTL_KEY_SECRET_FILE: '/some/file' }],
])('half a pair names %s, and no profile completes it: exit 2', async (missing, env) => {
  const ran = await whoami([], { ...env, BOTCTL_BASE_URL: service.baseUrl });
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(`${missing} is not`);
  expect(service.seen).toEqual([]);
});

test('a key that the service no longer takes: exit 4', async () => {
  service.keys.length = 0;
  expect((await whoami()).exitCode).toBe(4);
});

test.each([refusal(404, 'NOT_FOUND'), refusal(403, 'FORBIDDEN'), refusal(500, 'INTERNAL_ERROR')])(
  'a service that does not show the key: says so, and the rest (%j)',
  async (answer) => {
    service.scripted.set('GET /api/openapi/v1/api-keys/key-one', answer);
    const { row, exitCode, stderr } = await whoami();
    expect(exitCode, stderr).toBe(0);
    expect(row).toMatchObject({ key_id: 'key-one', key_name: null, key_expires_at: null });
    expect(stderr).toContain('says nothing of this key');
  },
);

test('a service that is not there: says so, and the rest', async () => {
  const { row, exitCode, stderr } = await whoami([], {
    ...environmentOf(service),
    BOTCTL_BASE_URL: 'http://127.0.0.1:1',
  });
  expect(exitCode, stderr).toBe(0);
  expect(row).toMatchObject({
    origin: 'http://127.0.0.1:1',
    key_name: null,
    token_age: null,
    token_expires_at: null,
  });
});
