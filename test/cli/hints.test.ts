import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { allCommands, branches, scopeOf } from '../../src/commands/branches.ts';
import { command } from '../../src/lib/text/remark.ts';
import { settingsIn } from '../settings/support.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';

const uuid = '00000000-0000-4000-8000-000000000000';

const sandbox = useSandbox();
const service = openDirect(sandbox);
let env: Record<string, string>;

beforeEach(async () => {
  env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const { profiles } = settingsIn(env.BOTCTL_CONFIG_DIR ?? '');
  const { baseUrl, keyId, keySecret } = sandbox;
  for (const name of ['default', 'other']) await profiles.save({ name, baseUrl, keyId, keySecret });
  await profiles.use('default');
});

/** Returns an environment with a key and without a base URL. */
const keyAlone = () => {
  const { BOTCTL_BASE_URL: _, ...pair } = sandbox.env;
  return { ...pair, BOTCTL_CONFIG_DIR: temporaryDirectory() };
};

const run = (args: readonly string[], options: RunOptions = {}) => botctl(args, { ...options, env });
const errorIn = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

describe('a suggested command', () => {
  it('names the profile for every noun, except for commands that need no identity', async () => {
    const line = (noun: string) => command(noun, 'x').text({ profile: 'other', scopeOf });
    const without = branches.filter(({ name }) => !line(name).includes('--profile other'));
    expect(without.map(({ name }) => name).sort()).toEqual(['completion', 'profiles', 'tour']);
    const needs = await Promise.all(without.map(async ({ load }) => (await load()).map((one) => one.needs)));
    expect(new Set(needs.flat())).toEqual(new Set(['nothing']));
  });

  it('names the database for every noun whose commands use one', async () => {
    const database = 'postgres://ana@db.example/campaigns';
    const taking = (await allCommands()).filter(({ command: { options } }) =>
      Object.hasOwn(options, 'database'),
    );
    const nouns = new Set(taking.map(({ path }) => path.split(' ')[0] ?? ''));
    const named = [...nouns].filter((noun) =>
      command(noun, 'x').text({ database, scopeOf }).includes(database),
    );
    // These use other databases: the sandbox's own, and the one that a profile will name.
    expect([...nouns].filter((noun) => !named.includes(noun)).sort()).toEqual(['profiles', 'sandbox']);
  });

  it.each([[['--profile', 'other']], [['--profile=other']]])(
    'repeats the profile of the command: %j',
    async (flag) => {
      const suggestion = 'botctl --profile other teams list';
      const ran = await run(['teams', 'get', 'nobody', ...flag]);
      expect(ran).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(suggestion) });
      const { hint, next } = errorIn((await run(['teams', 'get', 'nobody', '-o', 'json', ...flag])).stderr);
      expect(hint).toContain(suggestion);
      expect(next).toContainEqual(suggestion.split(' '));
      const current = await run(['teams', 'get', 'nobody']);
      expect(current.stderr).not.toContain('--profile');
    },
  );

  it('repeats the base URL of the command and its connection options', async () => {
    const key = keyAlone();
    const line = ['teams', 'get', 'nobody', '--base-url', sandbox.baseUrl];
    const told = `botctl --base-url ${sandbox.baseUrl} teams list`;
    const ran = await botctl(line, { env: key });
    expect(ran).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(told) });
    const { next } = errorIn((await botctl([...line, '-o', 'json'], { env: key })).stderr);
    expect(next).toContainEqual(told.split(' '));
    const insecurely = await botctl([...line, '--insecure-http'], { env: key });
    expect(insecurely.stderr).toContain(`botctl --base-url ${sandbox.baseUrl} --insecure-http teams list`);
    // The base URL in the environment still applies.
    const chosen = await botctl(line.slice(0, 3), { env: { ...key, BOTCTL_BASE_URL: sandbox.baseUrl } });
    expect(chosen.stderr).not.toContain('--base-url');
  });

  it('repeats the base URL in the remedies and the report of doctor', async () => {
    const key = keyAlone();
    await service.document(await service.team('Acme'), 'menu.txt');
    sandbox.behave({ ignore_filters: true });
    const bundle = join(temporaryDirectory(), 'report.json');
    const line = [
      'doctor',
      '--base-url',
      sandbox.baseUrl,
      '--bundle',
      bundle,
      '-o',
      'json',
      '--retries',
      '0',
    ];
    const ran = await botctl(line, { env: key });
    const remedy = expect.stringContaining(`botctl --base-url ${sandbox.baseUrl} login`);
    expect(JSON.parse(ran.stdout)).toContainEqual(expect.objectContaining({ check: 'filters', remedy }));
    const { findings } = JSON.parse(readFileSync(bundle, 'utf8'));
    expect(findings).toContainEqual(expect.objectContaining({ check: 'filters', remedy }));
  });

  it.each<readonly [string, readonly string[], readonly (readonly string[])[]]>([
    ['a command', ['device', 'status', 'nobody'], [['botctl', '--profile', 'other', 'device', 'list']]],
    ['none with a file to fill in', ['docs', 'upload', '-', '--name', 'a.txt', '--team', uuid], []],
    ['no example', ['completion', '--no-input'], [['botctl', 'completion', '--help']]],
    [
      'several, of help too',
      ['help', 'bots', 'lst'],
      [
        ['botctl', 'help', 'bots', 'list'],
        ['botctl', 'bots', '--help'],
      ],
    ],
  ])('is in the JSON member next: %s', async (_, args, next) => {
    const ran = await run([...args, '-o', 'json', '--profile', 'other'], { terminal: true });
    expect(errorIn(ran.stderr).next).toEqual(next);
  });

  it.each([
    [['device', 'list', '--profile', 'other'], 'botctl --profile other device create'],
    [
      ['api', 'GET', '/api/openapi/v1/teams', '--dry-run', '--profile', 'other'],
      'TOKEN=$(botctl --profile other token)',
    ],
  ])('repeats the profile after a success: %j', async (args, note) => {
    const ran = await run(args, { terminal: { columns: 200, rows: 40 } });
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(note) });
  });

  it.each<readonly [string, number, readonly string[]]>([
    ['of one device', 1, []],
    ['of each of several', 2, ['--watch', '--until', 'stopped']],
  ])('repeats profile and base URL in the row %s', async (_, count, more) => {
    const team = await service.team('Acme');
    const bot = await service.createBot(team, 'Front desk');
    const [first = '', ...others] = [
      await service.device(team, bot, 'Reception'),
      ...(count > 1 ? [await service.device(team, bot, 'Counter')] : []),
    ];
    const args = [first, ...others, ...more];
    const given = ['--profile', 'other', '--base-url', sandbox.baseUrl];
    const ran = await run(['device', 'status', ...args, '-o', 'ndjson', ...given]);
    // Rows of several devices come in any order.
    const rows = ran.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(rows).toContainEqual(
      expect.objectContaining({ next: `botctl ${given.join(' ')} device connect ${first}` }),
    );
  });

  it('names what login needs in a script, and no command that would only ask', async () => {
    const nobody = { env: { BOTCTL_CONFIG_DIR: temporaryDirectory() } };
    const { hint, next } = errorIn((await botctl(['teams', 'list', '-o', 'json'], nobody)).stderr);
    expect(hint).toContain('botctl login --base-url URL --key-id ID --key-secret-file FILE');
    expect(next).toEqual([['botctl', 'sandbox', 'start']]);
    const elsewhere = await botctl(['teams', 'list', '--base-url', sandbox.baseUrl], nobody);
    expect(elsewhere.stderr).toContain('login --key-id ID --key-secret-file FILE');
    expect(elsewhere.stderr).not.toContain('--base-url URL');
    const person = await botctl(['teams', 'list'], { ...nobody, terminal: true });
    expect(person.stderr).toContain('botctl login');
    expect(person.stderr).not.toContain('--key-secret-file');
    const named = await run(['teams', 'list', '--profile', 'new']);
    expect(named.stderr).toContain('botctl login --profile new --base-url URL --key-id ID');
  });
});
