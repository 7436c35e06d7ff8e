import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { settingsIn, unwritableDirectory } from '../settings/support.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
let requests: Awaited<ReturnType<typeof requestsFromNow>>;
let directory: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  const { baseUrl, keyId, keySecret } = sandbox;
  const profile = { baseUrl, keyId, keySecret };
  await settingsIn(directory).profiles.save({ name: 'default', ...profile });
  await settingsIn(directory).profiles.save({ name: 'staging', ...profile });
  requests = await requestsFromNow(sandbox);
});

/** Returns the number of token exchanges. */
async function exchanges(): Promise<number> {
  return (await requests()).filter(({ operation }) => operation === 'createToken').length;
}

async function whoami(args: readonly string[] = [], env: Record<string, string> = {}) {
  const line = ['whoami', '-o', 'json', '--retries', '0', ...args];
  const ran = await botctl(line, { env: { BOTCTL_CONFIG_DIR: directory, ...env } });
  expect(ran.stdout + ran.stderr).not.toMatch(/botsecret_|eyJ/);
  return { ...ran, row: ran.exitCode === 0 ? (JSON.parse(ran.stdout) as Record<string, unknown>) : {} };
}

test('has the same members in every state', async () => {
  const { row, exitCode, stderr } = await whoami();
  expect(exitCode, stderr).toBe(0);
  expect(row).toEqual({
    profile: 'default',
    source: 'current profile',
    base_url: sandbox.baseUrl,
    origin: sandbox.baseUrl,
    key_id: sandbox.keyId,
    key_name: 'First key',
    key_expires_at: null,
    token_age: expect.any(Number),
    token_expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

test('shows the origin on a card only if the base URL has more than that', async () => {
  const card = async (baseUrl: string): Promise<string> => {
    const env = { ...sandbox.env, BOTCTL_BASE_URL: baseUrl, BOTCTL_CONFIG_DIR: directory };
    return (await botctl(['whoami', '--retries', '0'], { env, terminal: true })).stdout;
  };
  expect(await card(sandbox.baseUrl)).not.toContain('Origin');
  expect(await card(`${sandbox.baseUrl}/prefix`)).toContain('Origin');
});

test.each([
  ['--profile', ['--profile', 'staging'], {}, 'staging'],
  ['BOTCTL_PROFILE', [], { BOTCTL_PROFILE: 'staging' }, 'staging'],
])('reports that %s has precedence', async (source, args, env, profile) => {
  expect((await whoami(args, env)).row).toMatchObject({ source, profile });
});

test('reports that the environment has precedence, without a writable home directory', async () => {
  directory = unwritableDirectory();
  const { row, exitCode, stderr } = await whoami([], sandbox.env);
  expect(exitCode, stderr).toBe(0);
  expect(row).toMatchObject({ source: 'environment', profile: null, key_name: 'First key', token_age: 0 });
});

test('reports when the key expires, and the age of a cached token', async () => {
  const made = await callControl(sandbox.control, '/key/create', {
    name: 'ci',
    expires_at: '2099-01-01T00:00:00.000Z',
  });
  const keySecret = new Secret(made.key_secret);
  const owner = { profile: 'ci', baseUrl: sandbox.baseUrl, keyId: made.key_id, keySecret };
  const { profiles, tokens } = settingsIn(directory);
  await profiles.save({ name: 'ci', baseUrl: owner.baseUrl, keyId: owner.keyId, keySecret });
  await whoami(['--profile', 'ci']);
  const cached = tokens.read(owner);
  if (!cached) throw new Error('no token was kept');
  await tokens.write(owner, { ...cached, issuedAt: cached.issuedAt - 120_000 });
  requests = await requestsFromNow(sandbox);
  const { row } = await whoami(['--profile', 'ci']);
  expect(row.key_expires_at).toBe('2099-01-01T00:00:00.000Z');
  expect(row.token_age).toBeGreaterThanOrEqual(120);
  expect(await exchanges()).toBe(0);
});

test('a wrong secret is refused, even if a token of the right one is cached', async () => {
  const env = sandbox.env;
  expect((await whoami([], env)).exitCode).toBe(0);
  const ran = await whoami([], { ...env, BOTCTL_KEY_SECRET: 'mistyped' });
  expect(ran.exitCode, ran.stderr).toBe(4);
  expect(ran.stderr).toContain('Check BOTCTL_KEY_ID and BOTCTL_KEY_SECRET.');
  const file = join(temporaryDirectory(), 'secret');
  writeFileSync(file, 'mistyped', { mode: 0o600 });
  const { stderr } = await whoami([], { ...env, BOTCTL_KEY_SECRET: '', BOTCTL_KEY_SECRET_FILE: file });
  expect(stderr).toContain('Check BOTCTL_KEY_ID and BOTCTL_KEY_SECRET_FILE.');
  expect((await whoami([], env)).exitCode).toBe(0);
  expect(await exchanges()).toBe(3);
});

test('exits with code 4 and suggests a login if logged out', async () => {
  directory = temporaryDirectory();
  const { exitCode, stderr, stdout } = await whoami();
  expect(exitCode).toBe(4);
  expect(stdout).toBe('');
  expect(stderr).toContain('botctl login');
});

test('reports a logged-out user in the last line of stderr with -o json', async () => {
  directory = temporaryDirectory();
  const { stderr } = await whoami();
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    error: { code: 'AUTHENTICATION', exit: 4, hint: expect.stringContaining('botctl login') },
  });
});

test.each([
  ['BOTCTL_KEY_SECRET', { BOTCTL_KEY_ID: 'a-key' }],
  ['BOTCTL_KEY_ID', { BOTCTL_KEY_SECRET: 'secret-of-a-key' }],
  ['BOTCTL_KEY_ID', { BOTCTL_KEY_SECRET_FILE: '/some/file' }],
])('half a pair names %s, and no profile completes it: exit code 2', async (missing, env) => {
  const ran = await whoami([], { ...env, BOTCTL_BASE_URL: sandbox.baseUrl });
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(`${missing} is not`);
  expect(await requests()).toEqual([]);
});

test('a key that the service no longer accepts: exit code 4', async () => {
  await callControl(sandbox.control, '/deactivate', { key: sandbox.keyId });
  expect((await whoami()).exitCode).toBe(4);
});

test.each([404, 403, 500])(
  'reports a service that does not show the key, and everything else (%i)',
  async (status) => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'getKey',
      effect: { kind: 'status', status },
    });
    const { row, exitCode, stderr } = await whoami();
    expect(exitCode, stderr).toBe(0);
    expect(row).toMatchObject({ key_id: sandbox.keyId, key_name: null, key_expires_at: null });
    expect(stderr).toContain("can't be checked with the service");
  },
);

test('reports an unreachable service, and everything else', async () => {
  const { row, exitCode, stderr } = await whoami([], {
    ...sandbox.env,
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
