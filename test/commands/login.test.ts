import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { settingsIn, unwritableDirectory } from '../settings/support.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
let requests: Awaited<ReturnType<typeof requestsFromNow>>;
let secret: string;
/** The same service at an address with another origin. */
let elsewhere: string;
let directory: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  requests = await requestsFromNow(sandbox);
  secret = sandbox.keySecret.reveal();
  elsewhere = sandbox.baseUrl.replace('127.0.0.1', 'localhost');
});

function login(args: readonly string[], options: Parameters<typeof botctl>[1] = {}): Promise<Ran> {
  return botctl(['login', '--retries', '0', ...args], {
    ...options,
    env: { BOTCTL_CONFIG_DIR: directory, ...options.env },
  });
}

/** Signs in without a terminal, with the first key of the service. */
function loginByScript(
  extra: readonly string[] = [],
  options: Parameters<typeof botctl>[1] = {},
): Promise<Ran> {
  const args = ['--base-url', sandbox.baseUrl, '--key-id', sandbox.keyId, '--key-secret-file', '-', ...extra];
  return login(args, { stdin: `${secret}\n`, ...options });
}

function stored(name: string) {
  const profile = settingsIn(directory).profiles.get(name);
  return profile && { baseUrl: profile.baseUrl, keyId: profile.keyId, keySecret: profile.keySecret.reveal() };
}

function firstKey() {
  return { baseUrl: sandbox.baseUrl, keyId: sandbox.keyId, keySecret: secret };
}

function firstProfile() {
  const { baseUrl, keyId, keySecret } = sandbox;
  return { baseUrl, keyId, keySecret };
}

function expectNoSecret({ stdout, stderr }: Ran): void {
  expect(stdout + stderr).not.toContain('secret-of');
  expect(stdout + stderr).not.toContain(secret);
  expect(stdout + stderr).not.toContain('eyJ');
}

describe('login without a terminal', () => {
  test('stores profile default and makes it current on the first login', async () => {
    const ran = await loginByScript(['-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      profile: 'default',
      base_url: sandbox.baseUrl,
      key_id: sandbox.keyId,
      key_name: 'First key',
      file: join(directory, 'config.json'),
    });
    expect(ran.stderr).toContain(join(directory, 'config.json'));
    expect(stored('default')).toEqual(firstKey());
    expect(settingsIn(directory).profiles.current()).toBe('default');
    expectNoSecret(ran);
  });

  test('exchanges a real token and reads the key before anything is stored', async () => {
    await loginByScript();
    expect((await requests()).map(({ operation }) => operation)).toEqual(['createToken', 'getKey']);
  });

  test('stores a token that serves the next command', async () => {
    await loginByScript();
    const ran = await botctl(['whoami'], { env: { BOTCTL_CONFIG_DIR: directory } });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect((await requests()).filter(({ operation }) => operation === 'createToken')).toHaveLength(1);
  });

  test('stores the profile named by --profile, or else by BOTCTL_PROFILE', async () => {
    await loginByScript(['--profile', 'staging'], { env: { BOTCTL_PROFILE: 'prod' } });
    expect(stored('staging')).toEqual(firstKey());
    expect(stored('prod')).toBeUndefined();
    await loginByScript([], { env: { BOTCTL_PROFILE: 'prod' } });
    expect(stored('prod')).toEqual(firstKey());
    expect(stored('default')).toBeUndefined();
  });

  test('reads the secret from --key-secret-file, and the address from BOTCTL_BASE_URL', async () => {
    const file = join(directory, 'secret.txt');
    writeFileSync(file, `${secret}\n`);
    const ran = await login(['--key-id', sandbox.keyId, '--key-secret-file', file], {
      env: { BOTCTL_BASE_URL: `${sandbox.baseUrl}/` },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(stored('default')).toEqual(firstKey());
  });

  test('never asks: everything that is missing is named at once', async () => {
    const ran = await login([]);
    expect(ran.exitCode).toBe(2);
    for (const option of ['--base-url', '--key-id', '--key-secret-file']) {
      expect(ran.stderr).toContain(option);
    }
  });

  test.each([
    ['', /empty/],
    ['\n', /empty/],
    ['one\ntwo\n', /more than the secret/],
  ])('refuses a secret of %j on stdin', async (stdin, why) => {
    const ran = await loginByScript([], { stdin });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(why);
    expect(await requests()).toEqual([]);
  });

  test('never accepts the secret on the command line, and does not repeat it', async () => {
    for (const args of [['--key-secret', secret], [`--key-secret=${secret}`]]) {
      const ran = await loginByScript(args);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain('--key-secret-file');
      expectNoSecret(ran);
    }
    expect(stored('default')).toBeUndefined();
    expect((await botctl(['login', '--help'])).stdout).not.toMatch(/--key-secret </);
  });

  test('does not repeat it with any other command either', async () => {
    for (const words of [['whoami'], ['keys', 'list'], ['login']]) {
      const ran = await botctl([...words, '--key-secrets=secret-of-key-one\nsecret-of-more']);
      expect(ran.exitCode).toBe(2);
      expectNoSecret(ran);
    }
  });

  test('warns if the environment overrides the new profile', async () => {
    const ran = await loginByScript([], { env: sandbox.env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('BOTCTL_KEY_ID');
  });
});

describe('login on a terminal', () => {
  test('asks for address, id and secret, and shows no secret', async () => {
    const ran = await login([], {
      terminal: true,
      answers: {
        'Base address': `${sandbox.baseUrl}/`,
        'Key id': sandbox.keyId,
        'Key secret': secret,
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(stored('default')).toEqual(firstKey());
    expectNoSecret(ran);
  });

  test('asks again for a key that is refused, three times in total', async () => {
    const given = ['--base-url', sandbox.baseUrl, '--key-id', sandbox.keyId];
    const ran = await login(given, {
      terminal: true,
      answers: {
        'Key secret:': 'a slip of the finger',
        [`(${sandbox.keyId})`]: '',
        'attempt 2 of 3': secret,
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(stored('default')).toEqual(firstKey());
    const lost = await login(['--profile', 'other', ...given], {
      terminal: true,
      answers: {
        'Key secret:': 'one',
        [`(${sandbox.keyId})`]: 'key-two',
        'attempt 2 of 3': 'two',
        '(key-two)': 'key-three',
        'attempt 3 of 3': 'three',
      },
    });
    expect(lost.exitCode).toBe(4);
    expect(lost.stderr.match(/doesn't accept/g)).toHaveLength(3);
    expect(stored('other')).toBeUndefined();
  });

  test('allows correcting a mistyped id, and trims spaces around a pasted secret', async () => {
    const ran = await login(['--base-url', sandbox.baseUrl], {
      terminal: true,
      answers: {
        'Key id:': 'key-oen',
        'Key secret:': secret,
        '(key-oen)': sandbox.keyId,
        'attempt 2 of 3': ` ${secret}  `,
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(stored('default')).toEqual(firstKey());
  });

  test('asks only for missing values', async () => {
    const ran = await login(['--base-url', sandbox.baseUrl, '--key-id', sandbox.keyId], {
      terminal: true,
      answers: { 'Key secret': secret },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).not.toContain('Base address of');
  });

  test('checks a typed address before anything else is asked', async () => {
    const clearLine = '\u0015';
    const ran = await login([], {
      terminal: true,
      answers: {
        'Base address': 'http://127.0.0.1:1',
        'connection refused': `${clearLine}${sandbox.baseUrl}`,
        'Key id': sandbox.keyId,
        'Key secret': secret,
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr.indexOf('connection refused')).toBeLessThan(ran.stderr.indexOf('Key id'));
    expect(stored('default')).toEqual(firstKey());
  });

  test('checks a given address before anything is asked, and sends it no secret', async () => {
    const ran = await login(['--base-url', 'http://127.0.0.1:1'], { terminal: true });
    expect(ran.exitCode).toBe(8);
    expect(ran.stderr).toContain('Nothing answers at http://127.0.0.1:1');
    expect(ran.stderr).not.toContain('Key id');
    await login(['--base-url', sandbox.baseUrl, '--key-id', sandbox.keyId], {
      terminal: true,
      answers: { 'Key secret': secret },
    });
    const [first] = await requests();
    expect(first).toMatchObject({ method: 'HEAD', path: '/' });
    expect(first?.request_bytes ?? 0).toBe(0);
  });

  test('fails at once with --key-secret-file - and no input', async () => {
    const ran = await loginByScript([], { terminal: true });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('--key-secret-file - < FILE');
  });

  test.each([
    ['CI', 'true'],
    ['BOTCTL_NO_INPUT', '1'],
  ])('asks nothing with %s=%s', async (name, value) => {
    const ran = await login([], { terminal: true, env: { [name]: value } });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('--key-id is missing');
    expect(ran.stderr).not.toContain('Base address');
  });

  test('asks nothing with --no-input', async () => {
    const ran = await login(['--no-input'], { terminal: true });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('--key-id');
  });
});

describe('login stores nothing', () => {
  function expectNothingStored(ran: Ran): void {
    expectNoSecret(ran);
    expect(ran.stdout).toBe('');
    expect(existsSync(join(directory, 'config.json'))).toBe(false);
    const tokens = join(directory, 'cache', 'tokens');
    expect(existsSync(tokens) ? readdirSync(tokens) : []).toEqual([]);
  }

  test('with a wrong secret: exit code 4', async () => {
    const ran = await loginByScript([], { stdin: 'secret-of-another-key' });
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toContain("doesn't accept the API key");
    expectNothingStored(ran);
  });

  test.each(["'", '"', '”'])('with a secret quoted with %s, and reports that', async (quote) => {
    const ran = await loginByScript([], {
      stdin: `${quote === '”' ? '“' : quote}secret-of-key-one${quote}\n`,
    });
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toContain('Remove the quotation marks around the key secret');
    expectNothingStored(ran);
  });

  test('if the service is unreachable: exit code 8', async () => {
    const ran = await login(['--base-url', 'http://127.0.0.1:1', '--key-id', 'x', '--key-secret-file', '-'], {
      stdin: 'secret-of-key-one',
    });
    expect(ran.exitCode).toBe(8);
    expectNothingStored(ran);
  });

  test('if another server responds: exit code 8', async () => {
    const bytes = Buffer.from('<html>Welcome</html>').toString('base64');
    const page = { kind: 'body', bytes, type: 'text/html', status: 200 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'createToken', effect: page });
    const ran = await loginByScript();
    expect(ran.exitCode).toBe(8);
    expectNothingStored(ran);
  });

  test('if the token is valid but the service fails', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'getKey',
      effect: { kind: 'status', status: 500 },
    });
    const ran = await loginByScript();
    expect(ran.exitCode).toBe(8);
    expectNothingStored(ran);
    const { baseUrl, keyId, keySecret } = sandbox;
    const owner = { profile: 'default', baseUrl, keyId, keySecret };
    expect(settingsIn(directory).tokens.read(owner)).toBeUndefined();
  });

  test.each([
    ['nonsense', /http or https/],
    ['https://user:pw-pw-pw@x.example.com', /user name/],
    ['http://x.example.com', /plain http/],
  ])('at the address %s: exit code 2', async (address, why) => {
    const ran = await login(['--base-url', address, '--key-id', 'x', '--key-secret-file', '-'], {
      stdin: 'secret-of-x',
    });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(why);
    expect(ran.stderr).not.toContain('pw-pw-pw');
    expectNothingStored(ran);
  });

  test('with an invalid profile name: exit code 2, before any request', async () => {
    const ran = await loginByScript(['--profile', '../up']);
    expect(ran.exitCode).toBe(2);
    expect(await requests()).toEqual([]);
  });

  test('if no file can be written: exit code 2 and an alternative', async () => {
    directory = unwritableDirectory();
    const ran = await loginByScript();
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('BOTCTL_CONFIG_DIR');
    expectNoSecret(ran);
  });

  test('if the config file is corrupt: exit code 2, and the file is unchanged', async () => {
    writeFileSync(join(directory, 'config.json'), '{"profiles": oops');
    const ran = await loginByScript();
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(join(directory, 'config.json'));
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).toBe('{"profiles": oops');
  });
});

test.each([404, 403])('login accepts a key that the service does not show (%i)', async (status) => {
  await callControl(sandbox.control, '/fault/add', { target: 'getKey', effect: { kind: 'status', status } });
  const ran = await loginByScript(['-o', 'json']);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ key_name: null });
});

describe('a second login', () => {
  beforeEach(async () => {
    await loginByScript();
  });

  test('checks the secret with a new exchange, not with the cached token', async () => {
    const ran = await loginByScript([], { stdin: 'secret-of-another-key' });
    expect(ran.exitCode).toBe(4);
    expect(stored('default')).toEqual(firstKey());
  });

  test('with another key of the same service asks first, and names what is replaced', async () => {
    const { key_id: second, key_secret: stdin } = await callControl(sandbox.control, '/key/create', {
      name: 'second',
    });
    const args = ['--base-url', sandbox.baseUrl, '--key-id', second, '--key-secret-file', '-'];
    const refused = await login(args, { stdin });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--yes');
    expect(refused.stderr).toContain(`Profile default holds key ${sandbox.keyId} for ${sandbox.baseUrl}`);
    expect(stored('default')).toEqual(firstKey());
    const ran = await login([...args, '--yes'], { stdin });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(`It replaces key ${sandbox.keyId} for ${sandbox.baseUrl}.`);
    expect(stored('default')?.keyId).toBe(second);
    const { baseUrl, keyId, keySecret } = sandbox;
    const owner = { profile: 'default', baseUrl, keyId, keySecret };
    expect(settingsIn(directory).tokens.read(owner)).toBeUndefined();
  });

  test('concurrent with another login to that profile, with another key, stores one and refuses the other', async () => {
    const logins = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const { key_id: id, key_secret: stdin } = await callControl(sandbox.control, '/key/create', { name });
        const key = ['--base-url', sandbox.baseUrl, '--key-id', id, '--key-secret-file', '-'];
        return { id, ran: await login(['--profile', 'shared', ...key], { stdin }) };
      }),
    );
    expect(logins.map(({ ran }) => ran.exitCode).sort()).toEqual([0, 2]);
    const lost = logins.find(({ ran }) => ran.exitCode === 2);
    expect(lost?.ran.stderr).toContain('got another key in the meantime');
    expect(stored('shared')?.keyId).toBe(logins.find(({ ran }) => ran.exitCode === 0)?.id);
  });

  test('with the same key asks nothing and replaces nothing', async () => {
    const ran = await loginByScript();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).not.toContain('replaces');
  });

  test('at another service asks first; without a terminal it needs --yes', async () => {
    const refused = await loginByScript(['--base-url', elsewhere]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--yes');
    expect(stored('default')?.baseUrl).toBe(sandbox.baseUrl);
    const ran = await loginByScript(['--base-url', elsewhere, '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(stored('default')?.baseUrl).toBe(elsewhere);
  });

  test('at another service also asks first if the profile is that of a sandbox', async () => {
    const { profiles } = settingsIn(directory);
    await profiles.save({ name: 'sandbox', ...firstProfile(), writtenBy: 'sandbox' });
    const env = { BOTCTL_PROFILE: 'sandbox' };
    const refused = await loginByScript(['--base-url', elsewhere], { env });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--yes');
    expect(stored('sandbox')?.baseUrl).toBe(sandbox.baseUrl);
  });

  test('at another service keeps the old key if the user says no', async () => {
    const ran = await login(['--base-url', elsewhere, '--key-id', sandbox.keyId], {
      terminal: true,
      answers: { 'Replace it': 'n' },
    });
    expect(ran.exitCode).toBe(3);
    expect(stored('default')?.baseUrl).toBe(sandbox.baseUrl);
  });

  test('as another profile makes that one current', async () => {
    await loginByScript(['--profile', 'staging']);
    expect(settingsIn(directory).profiles.current()).toBe('staging');
  });

  test('restores the modes of the file', async () => {
    chmodSync(join(directory, 'config.json'), 0o644);
    await loginByScript();
    expect(statSync(join(directory, 'config.json')).mode & 0o777).toBe(0o600);
  });
});
