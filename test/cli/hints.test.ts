import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { branches } from '../../src/commands/branches.ts';
import { command } from '../../src/lib/text/remark.ts';
import { behave } from '../../src/sandbox/control/client.ts';
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

/** The environment of somebody who has a key, and no address. */
const keyAlone = () => {
  const { BOTCTL_BASE_URL: _, ...pair } = sandbox.env;
  return { ...pair, BOTCTL_CONFIG_DIR: temporaryDirectory() };
};

const run = (args: readonly string[], options: RunOptions = {}) => botctl(args, { ...options, env });

describe('a hint', () => {
  it('names the profile for every noun that acts as one, and for a noun that is added later', () => {
    const without = branches
      .map(({ name }) => name)
      .filter((name) => !command(name, 'x').text({ profile: 'other' }).includes('--profile other'));
    expect(without.sort()).toEqual(['completion', 'profiles', 'tour']);
    expect(command('webhooks', 'list').text({ profile: 'other' })).toBe(
      'botctl --profile other webhooks list',
    );
  });

  it.each([
    ['', ['--profile', 'other']],
    ['joined with =', ['--profile=other']],
  ])('works on the profile that the failing line named %s', async (_, flag) => {
    const suggestion = 'botctl --profile other teams list';
    const ran = await run(['teams', 'get', 'nobody', ...flag]);
    expect(ran).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(suggestion) });
    const json = await run(['teams', 'get', 'nobody', '-o', 'json', ...flag]);
    expect(JSON.parse(json.stderr).error.hint).toContain(suggestion);
    const current = await run(['teams', 'get', 'nobody']);
    expect(current.stderr).not.toContain('--profile');
  });

  it('works on the service whose address the failing line named', async () => {
    const key = keyAlone();
    const line = ['teams', 'get', 'nobody', '--base-url', sandbox.baseUrl];
    const told = `botctl --base-url ${sandbox.baseUrl} teams list`;
    const ran = await botctl(line, { env: key });
    expect(ran).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(told) });
    const { error } = JSON.parse((await botctl([...line, '-o', 'json'], { env: key })).stderr);
    expect(error.hint).toContain(told);
    expect(error.next).toContainEqual(['botctl', '--base-url', sandbox.baseUrl, 'teams', 'list']);
    const dryRun = ['api', 'GET', '/api/openapi/v1/teams', '--dry-run', '--base-url', sandbox.baseUrl];
    const note = `TOKEN=$(botctl --base-url ${sandbox.baseUrl} token)`;
    expect((await botctl(dryRun, { env: key, terminal: { columns: 200, rows: 40 } })).stderr).toContain(note);
    const insecurely = await botctl([...line, '--insecure-http'], { env: key });
    expect(insecurely.stderr).toContain(`botctl --base-url ${sandbox.baseUrl} --insecure-http teams list`);
    // What the environment chose is still there.
    const chosen = await botctl(line.slice(0, 3), { env: { ...key, BOTCTL_BASE_URL: sandbox.baseUrl } });
    expect(chosen.stderr).not.toContain('--base-url');
  });

  it("in doctor's remedies names the address of the line", async () => {
    const key = keyAlone();
    await service.document(await service.team('Acme'), 'menu.txt');
    await behave(sandbox.control, { ignore_filters: true });
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
    const remedy = expect.stringContaining(`Make one with botctl --base-url ${sandbox.baseUrl} login, then:`);
    expect(JSON.parse(ran.stdout)).toContainEqual(expect.objectContaining({ check: 'filters', remedy }));
    const { findings } = JSON.parse(readFileSync(bundle, 'utf8'));
    expect(findings).toContainEqual(expect.objectContaining({ check: 'filters', remedy }));
  });

  it.each<readonly [string, readonly string[], string, readonly (readonly string[])[]]>([
    [
      'of a device that is not in the book',
      ['device', 'status', 'nobody'],
      'See the devices in it: botctl --profile other device list.',
      [['botctl', '--profile', 'other', 'device', 'list']],
    ],
    [
      'of a file that nothing was piped into',
      ['docs', 'upload', '-', '--name', 'a.txt', '--team', uuid],
      'as in: cat FILE | botctl --profile other docs upload - --name NAME …',
      [],
    ],
    [
      'of a text that nothing was piped into',
      ['send', '--device', uuid, '--to', '+5511988887777', '--message-file', '-'],
      'as in: cat FILE | botctl … --message-file -',
      [],
    ],
    [
      'with an example, whose values are not for a script',
      ['completion', '--no-input'],
      'As in: botctl completion bash. See botctl completion --help',
      [['botctl', 'completion', '--help']],
    ],
    [
      'of a command that help does not know',
      ['help', 'bots', 'lst'],
      'Did you mean botctl help bots list? See botctl bots --help',
      [
        ['botctl', 'help', 'bots', 'list'],
        ['botctl', 'bots', '--help'],
      ],
    ],
  ])('%s has its command lines as data in JSON', async (_, args, hint, next) => {
    const ran = await run([...args, '-o', 'json', '--profile', 'other'], { terminal: true });
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    expect(error.hint).toContain(hint);
    expect(error.next).toEqual(next);
  });

  it.each([
    [
      ['device', 'list', '--profile', 'other'],
      'Create one with botctl --profile other device create, or note one: botctl --profile other device add ID',
    ],
    [
      ['api', 'GET', '/api/openapi/v1/teams', '--dry-run', '--profile', 'other'],
      'The token for it: TOKEN=$(botctl --profile other token)',
    ],
  ])('after a success names the profile of the line: %j', async (args, note) => {
    const ran = await run(args, { terminal: { columns: 200, rows: 40 } });
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(note) });
  });

  it.each<readonly [string, number, readonly string[]]>([
    ['of one device', 1, []],
    ['of each of several', 2, ['--watch', '--until', 'stopped']],
  ])('in the row %s names profile and address of the line', async (_, count, more) => {
    const team = await service.team('Acme');
    const bot = await service.createBot(team, 'Front desk');
    const [first = '', ...others] = [
      await service.device(team, bot, 'Reception'),
      ...(count > 1 ? [await service.device(team, bot, 'Counter')] : []),
    ];
    const args = [first, ...others, ...more];
    const given = ['--profile', 'other', '--base-url', sandbox.baseUrl];
    const ran = await run(['device', 'status', ...args, '-o', 'ndjson', ...given]);
    const [row] = ran.stdout.split('\n').map((line) => line !== '' && JSON.parse(line));
    expect(row).toMatchObject({ next: `botctl ${given.join(' ')} device connect ${first}` });
  });

  it.each([
    ['', 'There are: default, other. Or store another one: botctl login --profile NAME'],
    ['a b', 'There are: default, other. Or store another one: botctl login --profile NAME'],
    ['new', 'There are: default, other. Or store it: botctl login --profile new'],
  ])('of a profile "%s" that is not there stores one that can be', async (name, hint) => {
    const line = ['teams', 'list', '--profile', name];
    const told = await run(line, { terminal: { columns: 200, rows: 40 } });
    expect(told).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`  ${hint}\n`) });
    // Where nobody can be asked, it says what login would ask for.
    const ran = await run(line);
    const answered = `${hint} --base-url URL --key-id ID --key-secret-stdin < FILE\n`;
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`  ${answered}`) });
  });

  it('signs in with what a script can give, and is no line that would only ask', async () => {
    const nobody = { env: { BOTCTL_CONFIG_DIR: temporaryDirectory() } };
    const { stderr } = await botctl(['teams', 'list', '-o', 'json'], nobody);
    const { error } = JSON.parse(stderr);
    expect(error.hint).toContain('botctl login --base-url URL --key-id ID --key-secret-stdin < FILE,');
    expect(error.next).toEqual([['botctl', 'sandbox', 'start']]);
    const elsewhere = await botctl(['teams', 'list', '--base-url', sandbox.baseUrl], nobody);
    expect(elsewhere.stderr).toContain(`login --key-id ID --key-secret-stdin < FILE`);
    expect(elsewhere.stderr).not.toContain('--base-url URL');
    const person = await botctl(['teams', 'list'], { ...nobody, terminal: true });
    expect(person.stderr).toContain('Run botctl login, or');
  });

  it.each(['teams', 'bots', 'docs'])("of an id that %s don't have leads to their list", async (noun) => {
    const ran = await run([noun, 'get', uuid]);
    expect(ran).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining(`  See what there is: botctl ${noun} list\n`),
    });
  });

  it('of an action that is wrong shows how one is written', async () => {
    const ran = await run(['bots', 'actions', 'add', uuid, '--action', '{"nam":1}']);
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('botctl bots actions add --help\n'),
    });
  });

  it('of an empty list of profiles names what makes one', async () => {
    const ran = await botctl(['profiles', 'list'], { terminal: true });
    expect(ran.stderr).toBe(
      'No profiles yet. Store one with botctl login, or start a sandbox: botctl sandbox start\n',
    );
  });
});
