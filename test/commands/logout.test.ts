import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { profileNamed, settingsIn } from '../settings/support.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';

let directory: string;
const owner = { ...profileNamed('default'), profile: 'default' };

beforeEach(async () => {
  directory = temporaryDirectory();
  const { profiles, tokens } = settingsIn(directory);
  await profiles.save(profileNamed('default'));
  await profiles.save(profileNamed('staging'));
  await tokens.write(owner, {
    token: new Secret('token-of-default'),
    issuedAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  });
});

function logout(args: readonly string[] = [], env: Record<string, string> = {}) {
  return botctl(['logout', ...args], { env: { BOTCTL_CONFIG_DIR: directory, ...env } });
}

test('removes secret and token, and notes that the key remains valid', async () => {
  const ran = await logout();
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stderr).toContain('profile default');
  expect(ran.stderr).toContain('still valid');
  expect(ran.stderr).toContain('botctl keys delete key-of-default');
  expect(readFileSync(join(directory, 'config.json'), 'utf8')).not.toContain('secret-of-default');
  expect(settingsIn(directory).tokens.read(owner)).toBeUndefined();
  expect(ran.stdout + ran.stderr).not.toContain('secret-of');
});

test('leaves no current profile, and names the other profiles', async () => {
  expect((await logout()).stderr).toContain('staging');
  const ran = await botctl(['whoami'], { env: { BOTCTL_CONFIG_DIR: directory } });
  expect(ran.exitCode).toBe(4);
});

test.each([
  [['--profile', 'staging'], {}],
  [[], { BOTCTL_PROFILE: 'staging' }],
])('removes the named profile (%j %j)', async (args, env) => {
  expect((await logout(args, env)).exitCode).toBe(0);
  expect(
    settingsIn(directory)
      .profiles.list()
      .map(({ name }) => name),
  ).toEqual(['default']);
  expect(settingsIn(directory).profiles.current()).toBe('default');
});

test('refuses an unknown profile: exit code 2 and a suggestion', async () => {
  const ran = await logout(['--profile', 'stagign']);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain('Did you mean staging?');
});

test('succeeds if already logged out, and creates no file', async () => {
  directory = join(temporaryDirectory(), 'new');
  const ran = await logout();
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toContain('Nothing was removed');
  expect(existsSync(directory)).toBe(false);
});

test('notes that the environment still gives access', async () => {
  const env = {
    BOTCTL_BASE_URL: 'https://e.example.com',
    BOTCTL_KEY_ID: 'i',
    BOTCTL_KEY_SECRET: 'secret-of-env',
  };
  const ran = await logout([], env);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toContain('BOTCTL_KEY_ID');
  expect(ran.stderr).not.toContain('secret-of');
});

test('refuses a corrupt file: exit code 2, named and unchanged', async () => {
  writeFileSync(join(directory, 'config.json'), 'oops');
  const ran = await logout();
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(join(directory, 'config.json'));
});
