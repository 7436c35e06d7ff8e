import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { failureOf, profileNamed, settingsIn, temporaryDirectory, wordsOf } from './support.ts';

const pair = {
  BOTCTL_BASE_URL: 'https://env.example.com',
  BOTCTL_KEY_ID: 'env-id',
  BOTCTL_KEY_SECRET: 'env-secret',
};

let directory: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  const { profiles } = settingsIn(directory);
  await profiles.save(profileNamed('default'));
  await profiles.save(profileNamed('staging'));
  await profiles.save(profileNamed('prod'));
});

async function identity(
  env: Record<string, string> = {},
  options: { profile?: string; baseUrl?: string } = {},
) {
  const { keySecret, ...rest } = await settingsIn(directory, env, options).identity();
  return { ...rest, keySecret: keySecret.reveal() };
}

function refusal(env: Record<string, string> = {}, options: { profile?: string; baseUrl?: string } = {}) {
  return failureOf(() => settingsIn(directory, env, options).identity()).then(wordsOf);
}

function ofProfile(name: string, source: string) {
  return {
    profile: name,
    source,
    baseUrl: `https://${name}.example.com`,
    keyId: `key-of-${name}`,
    keySecret: `secret-of-${name}`,
    settings: {},
  };
}

const ofEnvironment = {
  profile: undefined,
  source: 'environment',
  baseUrl: 'https://env.example.com',
  keyId: 'env-id',
  keySecret: 'env-secret',
  keySecretFrom: 'BOTCTL_KEY_SECRET',
  baseUrlFrom: 'BOTCTL_BASE_URL',
};

describe('the precedence of credentials', () => {
  test('uses the current profile by default', async () => {
    expect(await identity()).toEqual(ofProfile('default', 'current profile'));
  });

  test('prefers BOTCTL_PROFILE to the current profile', async () => {
    expect(await identity({ BOTCTL_PROFILE: 'staging' })).toEqual(ofProfile('staging', 'BOTCTL_PROFILE'));
  });

  test('prefers the environment pair to BOTCTL_PROFILE', async () => {
    expect(await identity({ ...pair, BOTCTL_PROFILE: 'staging' })).toEqual(ofEnvironment);
  });

  test('prefers --profile to everything, and then ignores all variables of the environment', async () => {
    expect(await identity({ ...pair, BOTCTL_PROFILE: 'staging' }, { profile: 'prod' })).toEqual(
      ofProfile('prod', '--profile'),
    );
  });

  test('prefers --base-url to BOTCTL_BASE_URL for the environment pair', async () => {
    expect(await identity(pair, { baseUrl: 'https://other.example.com/v2/' })).toEqual({
      ...ofEnvironment,
      baseUrl: 'https://other.example.com/v2',
      baseUrlFrom: '--base-url',
    });
  });

  test('treats an empty variable as unset', async () => {
    const empty = { BOTCTL_KEY_ID: '', BOTCTL_KEY_SECRET: '', BOTCTL_PROFILE: '', BOTCTL_BASE_URL: '' };
    expect(await identity(empty)).toEqual(ofProfile('default', 'current profile'));
  });
});

describe('the environment pair', () => {
  test('reads the secret from a file, without its newline', async () => {
    const file = join(directory, 'secret');
    writeFileSync(file, 'file-secret\r\n');
    const { BOTCTL_KEY_SECRET: _, ...rest } = pair;
    expect(await identity({ ...rest, BOTCTL_KEY_SECRET_FILE: file })).toEqual({
      ...ofEnvironment,
      keySecret: 'file-secret',
      keySecretFrom: 'BOTCTL_KEY_SECRET_FILE',
    });
  });

  test('is trimmed, from any source', async () => {
    const env = { ...pair, BOTCTL_KEY_ID: ' env-id\n', BOTCTL_KEY_SECRET: '\tenv-secret\r\n' };
    expect(await identity(env)).toEqual(ofEnvironment);
    const file = join(directory, 'secret');
    writeFileSync(file, '\ufeff  env-secret \n');
    const { BOTCTL_KEY_SECRET: _, ...rest } = env;
    expect(await identity({ ...rest, BOTCTL_KEY_SECRET_FILE: file })).toMatchObject({
      keySecret: 'env-secret',
    });
  });

  test.each([
    ['BOTCTL_KEY_SECRET', { BOTCTL_KEY_ID: 'env-id' }],
    ['BOTCTL_KEY_ID', { BOTCTL_KEY_SECRET: 'env-secret' }],
    ['BOTCTL_KEY_ID', { BOTCTL_KEY_SECRET_FILE: '/some/file' }],
  ])('is refused if half of it is missing, naming %s', async (missing, env) => {
    const { kind, words } = await refusal({ ...env, BOTCTL_BASE_URL: 'https://env.example.com' });
    expect(kind).toBe('invalidInput');
    expect(words).toContain(`${missing} is not`);
    expect(words).not.toContain('env-secret');
  });

  test('is not completed by a profile', async () => {
    expect((await refusal({ BOTCTL_KEY_ID: 'env-id', BOTCTL_PROFILE: 'staging' })).kind).toBe('invalidInput');
  });

  test('has no default address', async () => {
    const { BOTCTL_BASE_URL: _, ...rest } = pair;
    const { kind, words } = await refusal(rest);
    expect(kind).toBe('invalidInput');
    expect(words).toContain('BOTCTL_BASE_URL');
  });

  test('may name its secret only once', async () => {
    const { kind, words } = await refusal({ ...pair, BOTCTL_KEY_SECRET_FILE: '/some/file' });
    expect(kind).toBe('invalidInput');
    expect(words).toContain('both set');
  });

  test.each([
    ['', /empty/],
    ['\n', /empty/],
    ['one\ntwo\n', /more than the secret/],
  ])('is refused if its secret file holds %j', async (text, why) => {
    const file = join(directory, 'secret');
    writeFileSync(file, text);
    const { BOTCTL_KEY_SECRET: _, ...rest } = pair;
    const { kind, words } = await refusal({ ...rest, BOTCTL_KEY_SECRET_FILE: file });
    expect(kind).toBe('invalidInput');
    expect(words).toMatch(why);
  });

  test('is refused if its secret file is missing, naming it', async () => {
    const { BOTCTL_KEY_SECRET: _, ...rest } = pair;
    const { kind, words } = await refusal({ ...rest, BOTCTL_KEY_SECRET_FILE: join(directory, 'nowhere') });
    expect(kind).toBe('invalidInput');
    expect(words).toContain(`${join(directory, 'nowhere')} (from BOTCTL_KEY_SECRET_FILE)`);
  });
});

describe("a profile's secret is sent to its own origin only", () => {
  test.each([
    ['--base-url', {}, { baseUrl: 'https://elsewhere.example.com' }],
    ['BOTCTL_BASE_URL', { BOTCTL_BASE_URL: 'https://elsewhere.example.com' }, {}],
    ['--base-url', {}, { profile: 'staging', baseUrl: 'https://elsewhere.example.com' }],
    ['--base-url', pair, { profile: 'staging', baseUrl: 'https://elsewhere.example.com' }],
    ['--base-url', {}, { baseUrl: 'https://default.example.com:8443' }],
    ['--base-url', { BOTCTL_PROFILE: 'prod' }, { baseUrl: 'http://prod.example.com' }],
  ])('%s with another origin fails (%j %j)', async (from, env, options) => {
    const { kind, words } = await refusal(env, options);
    expect(kind).toBe('invalidInput');
    expect(words).toContain(`${from} is`);
    expect(words).not.toContain('secret-of');
  });

  test('another path on the same origin is accepted', async () => {
    expect((await identity({}, { baseUrl: 'https://default.example.com/v2' })).baseUrl).toBe(
      'https://default.example.com/v2',
    );
  });

  test.each(['--base-url', 'BOTCTL_BASE_URL'])('an invalid address is refused, from %s', async (from) => {
    const { kind, words } =
      from === '--base-url'
        ? await refusal({}, { baseUrl: 'nonsense' })
        : await refusal({ BOTCTL_BASE_URL: 'nonsense' });
    expect(kind).toBe('invalidInput');
    expect(words).toContain(`${from} must be an http or https address`);
  });

  test('plain http beyond this machine is refused, even if the environment allows it', async () => {
    const { kind, words } = await refusal({ ...pair, BOTCTL_BASE_URL: 'http://env.example.com' });
    expect(kind).toBe('invalidInput');
    expect(words).toContain('plain http');
  });
});

describe('no identity', () => {
  test('suggests a login if logged out', async () => {
    directory = temporaryDirectory();
    expect(await refusal()).toEqual({
      kind: 'authentication',
      words:
        'You are not signed in. Run: botctl login\nIn a job, set BOTCTL_BASE_URL, BOTCTL_KEY_ID and BOTCTL_KEY_SECRET.\nTo try botctl without an account, run: botctl sandbox start',
    });
  });

  test('names the other profiles if the current profile is logged out', async () => {
    await settingsIn(directory).profiles.remove('default');
    const { kind, words } = await refusal();
    expect(kind).toBe('authentication');
    expect(words).toContain('staging, prod');
  });

  test.each([
    [{}, { profile: 'stagign' }, 'Did you mean staging?'],
    [{ BOTCTL_PROFILE: 'Prod' }, {}, 'Did you mean prod?'],
    [{}, { profile: 'nothing-like-it' }, 'default, staging, prod'],
    [{}, { profile: '' }, 'default, staging, prod'],
  ])('suggests a name for an unknown profile (%j %j)', async (env, options, suggestion) => {
    const { kind, words } = await refusal(env, options);
    expect(kind).toBe('invalidInput');
    expect(words).toContain(suggestion);
  });
});
