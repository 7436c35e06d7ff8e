import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/secrets/secret.ts';
import { profileNamed, settingsIn } from '../../settings/support.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { springCampaign } from '../../support/campaign.ts';
import { storeAt } from '../../support/campaign-stores.ts';
import { certificateFile } from '../../support/scripted-server.ts';
import { createCampaign } from '../../support/stored-campaign.ts';

let directory: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  const { profiles, tokens } = settingsIn(directory);
  for (const name of ['default', 'staging', 'prod']) {
    const profile = profileNamed(name);
    await profiles.save(profile);
    await tokens.write(
      { ...profile, profile: name },
      { token: new Secret(`token-of-${name}`), issuedAt: 0, expiresAt: Number.MAX_SAFE_INTEGER },
    );
  }
});

async function profiles(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const env = { BOTCTL_CONFIG_DIR: directory, ...options.env };
  const ran = await botctl(['profiles', ...args], { ...options, env });
  expect(ran.stdout + ran.stderr).not.toMatch(/secret-of|token-of/);
  return ran;
}

async function succeeded(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran = await profiles(args, options);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return ran;
}

const stored = (name: string) => settingsIn(directory).profiles.get(name);
const current = () => settingsIn(directory).profiles.current();
const tokenFiles = () => readdirSync(join(directory, 'cache', 'tokens'));

describe('profiles list and show', () => {
  test('print everything but the secret, in one format', async () => {
    await settingsIn(directory).profiles.configure('staging', () => ({
      queryNames: { page: 'p' },
      pageSize: 25,
      caFile: '/etc/company.pem',
      protected: true,
    }));
    const plain = {
      name: 'default',
      current: true,
      base_url: 'https://default.example.com',
      key_id: 'key-of-default',
      protected: false,
      page_size: null,
      ca_file: null,
      region: null,
      qr: null,
      database: null,
      desk_database: null,
      operator: null,
      query_names: null,
      unsent: null,
      first_page: null,
      learned_at: null,
    };
    const rows: unknown[] = JSON.parse((await succeeded(['list', '-o', 'json'])).stdout);
    expect(rows[0]).toEqual(plain);
    expect(rows[1]).toEqual({
      name: 'staging',
      current: false,
      base_url: 'https://staging.example.com',
      key_id: 'key-of-staging',
      protected: true,
      page_size: 25,
      ca_file: '/etc/company.pem',
      region: null,
      qr: null,
      database: null,
      desk_database: null,
      operator: null,
      query_names: { page: 'p' },
      unsent: null,
      first_page: null,
      learned_at: null,
    });
    expect(JSON.parse((await succeeded(['show', '-o', 'json'])).stdout)).toEqual(plain);
    expect(JSON.parse((await succeeded(['show', 'staging', '-o', 'json'])).stdout)).toEqual(rows[1]);
  });

  test('print a table on a terminal', async () => {
    const { stdout } = await succeeded(['list'], { terminal: true });
    for (const words of ['default', 'staging', 'https://prod.example.com']) expect(stdout).toContain(words);
  });

  test('print an empty list without profiles', async () => {
    directory = temporaryDirectory();
    expect((await succeeded(['list', '-o', 'json'])).stdout.trim()).toBe('[]');
    const { exitCode, stderr } = await profiles(['show']);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('botctl profiles use');
  });

  test('show uses --profile and BOTCTL_PROFILE if no name is given', async () => {
    expect((await succeeded(['show', '--profile', 'prod'])).stdout).toContain('prod.example.com');
    const env = { BOTCTL_PROFILE: 'staging' };
    expect((await succeeded(['show'], { env })).stdout).toContain('staging.example.com');
  });
});

test.each([['show'], ['use'], ['remove'], ['rename', 'other'], ['set', '--protect']])(
  'profiles %s suggests the intended name, and exits with code 2 as --profile does',
  async (verb, ...rest) => {
    const { exitCode, stderr } = await profiles([verb, 'stagign', ...rest]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean staging?');
  },
);

describe('profiles use', () => {
  test('makes it the current one', async () => {
    await succeeded(['use', 'staging']);
    expect(current()).toBe('staging');
  });

  test.each([
    [{ BOTCTL_PROFILE: 'prod' }, 'BOTCTL_PROFILE'],
    [{ BOTCTL_KEY_ID: 'x' }, 'BOTCTL_KEY_ID'],
  ])('reports what overrides it (%j)', async (env, name) => {
    expect((await succeeded(['use', 'staging'], { env })).stderr).toContain(`${name} is set`);
  });
});

describe('profiles rename', () => {
  test('moves profile, token and the current mark', async () => {
    await succeeded(['rename', 'default', 'main']);
    expect(stored('default')).toBeUndefined();
    expect(stored('main')?.keySecret.reveal()).toBe('secret-of-default');
    expect(current()).toBe('main');
    const credential = { ...profileNamed('default'), profile: 'main' };
    expect(settingsIn(directory).tokens.read(credential)?.token.reveal()).toBe('token-of-default');
    expect(tokenFiles()).toHaveLength(3);
  });

  test('refuses a name that is taken or invalid: exit code 2', async () => {
    for (const name of ['prod', '../up']) {
      expect((await profiles(['rename', 'default', name])).exitCode).toBe(2);
      expect(stored('default')?.keyId).toBe('key-of-default');
    }
  });
});

describe('profiles remove', () => {
  test('asks on a terminal, and removes secret and token', async () => {
    await succeeded(['remove', 'staging'], {
      terminal: true,
      answers: { 'This removes profile staging': 'y' },
    });
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).not.toContain('secret-of-staging');
    expect(tokenFiles()).toHaveLength(2);
    expect(current()).toBe('default');
  });

  test('requires --yes without a terminal, and names the effect', async () => {
    const refused = await profiles(['remove', 'staging']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr.replace(/\s+/g, ' ')).toMatch(
      /^✗ Confirmation needed: This removes profile staging with its key for \S+\. The service doesn't show the secret again\. Add --yes, or /,
    );
    const { stdout } = await succeeded(['remove', 'staging', '--yes', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'staging', removed: true });
    expect(stored('staging')).toBeUndefined();
  });

  test('keeps it if the user says no', async () => {
    const ran = await profiles(['remove', 'staging'], {
      terminal: true,
      answers: { 'This removes profile': 'n' },
    });
    expect(ran.exitCode).toBe(3);
    expect(stored('staging')).toBeDefined();
  });

  test('suggests how to choose another if it was the current one', async () => {
    const { stderr } = await succeeded(['remove', 'default', '--yes']);
    expect(current()).toBeUndefined();
    expect(stderr).toContain('botctl profiles use staging|prod');
  });
});

describe('profiles set', () => {
  test('keeps the settings of several concurrent runs', async () => {
    const lines = [['--protect'], ['--page-size', '50'], ['--region', 'BR'], ['--qr', 'sextant']];
    await Promise.all(lines.map((line) => succeeded(['set', 'default', ...line])));
    expect(stored('default')?.settings).toMatchObject({
      protected: true,
      pageSize: 50,
      region: 'BR',
      qr: 'sextant',
    });
  });

  test('changes the given settings and keeps the others', async () => {
    await succeeded(['set', 'staging', '--page-size', '25', '--query-name', 'page=p']);
    await succeeded([
      'set',
      'staging',
      '--protect',
      '--query-name',
      'team=teamId',
      '--ca-file',
      certificateFile,
    ]);
    const { stdout } = await succeeded(['set', 'staging', '--query-name', 'page=seite', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'staging',
      protected: true,
      page_size: 25,
      ca_file: resolve(certificateFile),
      query_names: { page: 'seite', team: 'teamId' },
    });
    expect(stored('default')?.settings).toEqual({});
  });

  test('stores the database of campaigns without a password', async () => {
    const url = 'postgres://ana@127.0.0.1:1/campaigns?sslmode=require';
    const { stdout } = await succeeded(['set', 'staging', '--database', url, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ database: url });
    expect(JSON.parse((await succeeded(['show', 'staging', '-o', 'json'])).stdout)).toMatchObject({
      database: url,
    });
    for (const withPassword of [
      'postgres://ana:pw-canary-1@db.example/campaigns',
      'postgres://ana@db.example/campaigns?password=pw-canary-1',
    ]) {
      const refused = await profiles(['set', 'staging', '--database', withPassword, '--debug']);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr.replace(/\s+/g, ' ')).toContain(
        '--database must not contain a password, because other users can read the command line. Use PGPASSWORD, PGPASSFILE or BOTCTL_DATABASE',
      );
      expect(refused.stderr).not.toContain('pw-canary-1');
    }
    expect(stored('staging')?.settings).toEqual({ database: url });
    await succeeded(['set', 'staging', '--unset', 'database']);
    expect(stored('staging')?.settings).toEqual({});
  });

  test('stores the database of the desk and the operator without a password', async () => {
    const url = 'postgres://ana@127.0.0.1:1/desk?sslmode=require';
    const shown = { desk_database: url, operator: 'Ana Souza 🦊', database: null };
    const set = await succeeded([
      ...['set', 'staging', '--desk-database', url, '--operator', ' Ana Souza 🦊 ', '-o', 'json'],
    ]);
    expect(JSON.parse(set.stdout)).toMatchObject(shown);
    expect(JSON.parse((await succeeded(['show', 'staging', '-o', 'json'])).stdout)).toMatchObject(shown);
    expect(JSON.parse((await succeeded(['list', 'staging', '-o', 'json'])).stdout)).toMatchObject([shown]);
    const refused = await profiles([
      ...['set', 'staging', '--desk-database', 'postgres://ana:pw-canary-2@db.example/desk', '--debug'],
    ]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr.replace(/\s+/g, ' ')).toContain(
      '--desk-database must not contain a password, because other users can read the command line. Use PGPASSWORD, PGPASSFILE or BOTCTL_DESK_DATABASE',
    );
    expect(refused.stderr).not.toContain('pw-canary-2');
    expect(set.stderr.replace(/\s+/g, ' ')).toContain("127.0.0.1:1/desk can't be reached");
    expect(stored('staging')?.settings).toEqual({ deskDatabase: url, operator: 'Ana Souza 🦊' });
    await succeeded(['set', 'staging', '--unset', 'desk-database', '--unset', 'operator']);
    expect(stored('staging')?.settings).toEqual({});
  });

  test('warns about local data that a database hides, and about a missing database, and still stores it', async () => {
    const { baseUrl } = profileNamed('staging');
    const store = storeAt(join(directory, 'data'));
    await createCampaign(store, springCampaign(baseUrl));
    await createCampaign(store, springCampaign('https://prod.example.com', 'winter'));
    await store.optOuts(baseUrl).add([{ number: '5511988887777', added_at: '2026-01-01T00:00:00.000Z' }]);
    const url = 'postgres://ana@127.0.0.1:1/campaigns';
    const set = await succeeded(['set', 'staging', '--database', url, '-o', 'json']);
    const stderr = set.stderr.replace(/\s+/g, ' ');
    for (const says of [
      '1 campaign on this machine is now hidden: spring.',
      'botctl profiles set staging --unset database',
      'This machine has opt-outs of 1 number, which still apply here.',
      'botctl optouts import --local --profile staging',
      "postgres://127.0.0.1:1/campaigns can't be reached",
    ])
      expect(stderr).toContain(says);
    expect(stored('staging')?.settings).toEqual({ database: url });
    const other = await succeeded(['set', 'default', '--database', url]);
    expect(other.stderr).not.toContain('files of this machine');
  });

  test('restores the default with --unset', async () => {
    await succeeded([
      'set',
      'staging',
      '--page-size',
      '25',
      '--query-name',
      'page=p',
      '--ca-file',
      certificateFile,
    ]);
    await succeeded([
      'set',
      'staging',
      '--unset',
      'page-size',
      '--unset',
      'query-names',
      '--unset',
      'ca-file',
    ]);
    expect(stored('staging')?.settings).toEqual({});
  });

  test.each([
    [[], /No setting was given/],
    [['--page-size', '101'], /--page-size/],
    [['--query-name', 'pages=p'], /page, limit, name, paying, team, type/],
    [['--query-name', 'page='], /query parameter/],
    [['--query-name', 'page=limit'], /both page and limit/],
    [['--unset', 'protect'], /--unset/],
    [['--page-size', '5', '--unset', 'page-size'], /can't be used together/],
    [['--operator', 'Ana', '--unset', 'operator'], /can't be used together/],
    [['--operator', '  '], /1 to 64 characters/],
    [['--operator', 'a'.repeat(65)], /1 to 64 characters/],
    [['--operator', 'Ana\u001b[2J'], /without control characters/],
    [['--operator', 'Ana\nBruno'], /without control characters/],
    [['--operator', 'Ana \u202eonurB'], /without control characters/],
    [['--ca-file', '/nowhere/company.pem'], /no such file/],
    [['--ca-file', import.meta.filename], /no certificate/],
  ])('refuses %j: exit code 2, and nothing changes', async (args, why) => {
    const { exitCode, stderr } = await profiles(['set', 'staging', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(why);
    expect(stored('staging')?.settings).toEqual({});
  });
});

describe('a protected profile', () => {
  beforeEach(async () => {
    await settingsIn(directory).profiles.configure('prod', () => ({ protected: true }));
  });

  test.each([
    ['profiles set prod --no-protect', () => stored('prod')?.settings?.protected === true],
    ['profiles remove prod', () => stored('prod') !== undefined],
    ['logout --profile prod', () => stored('prod') !== undefined],
  ])('%s asks for its name, and --yes is not enough', async (line, isThere) => {
    const run = (...more: string[]) =>
      botctl([...line.split(' '), ...more], { env: { BOTCTL_CONFIG_DIR: directory } });
    const refused = await run('--yes');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--confirm prod');
    expect(isThere()).toBe(true);
    expect((await run('--confirm', 'staging')).exitCode).toBe(2);
    expect(isThere()).toBe(true);
    expect((await run('--confirm', 'prod')).exitCode).toBe(0);
    expect(isThere()).toBe(false);
  });

  test('can have its other settings changed without a question', async () => {
    await succeeded(['set', 'prod', '--page-size', '10']);
    expect(stored('prod')?.settings).toEqual({ protected: true, pageSize: 10 });
  });
});

test('a corrupt file is named and copied, and no command changes it', async () => {
  const file = join(directory, 'config.json');
  writeFileSync(file, '{"profiles": oops');
  for (const args of [
    ['list'],
    ['show'],
    ['use', 'prod'],
    ['set', 'prod', '--protect'],
    ['remove', 'prod'],
  ]) {
    const { exitCode, stderr } = await profiles(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${file}.corrupt-`);
  }
  expect(readFileSync(file, 'utf8')).toBe('{"profiles": oops');
  expect(readdirSync(directory).filter((name) => name.includes('.corrupt-'))).toHaveLength(1);
});

test('if no file can be written, reads work and a change suggests a remedy', async () => {
  directory = join(directory, 'config.json', 'below');
  expect((await succeeded(['list', '-o', 'json'])).stdout.trim()).toBe('[]');
  expect((await profiles(['use', 'default'])).exitCode).toBe(2);
  expect(existsSync(directory)).toBe(false);
});

describe('a profile whose name is not exact', () => {
  const lines = [
    ['show', 'stag'],
    ['use', 'stag'],
    ['rename', 'stag', 'later'],
    ['set', 'stag', '--protect'],
    ['remove', 'stag', '--yes'],
  ];

  test.each(lines)('is only suggested without a terminal (%s)', async (...line) => {
    const before = readFileSync(join(directory, 'config.json'), 'utf8');
    const ran = await profiles(line);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('Did you mean staging?');
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).toBe(before);
  });

  test.each(lines)('is the one that the user is offered (%s)', async (...line) => {
    await succeeded(line, { terminal: true, answers: { 'Do you mean staging? (Y/n)': '' } });
    const [verb] = line;
    if (verb === 'use') expect(current()).toBe('staging');
    if (verb === 'rename') expect(stored('later')).toMatchObject({ keyId: 'key-of-staging' });
    if (verb === 'set') expect(stored('staging')).toMatchObject({ settings: { protected: true } });
    if (verb === 'rename' || verb === 'remove') expect(stored('staging')).toBeUndefined();
  });
});
