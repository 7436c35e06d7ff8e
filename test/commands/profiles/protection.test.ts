import { beforeEach, describe, expect, test } from 'vitest';
import type { Command } from '../../../src/cli/command.ts';
import type { Option } from '../../../src/cli/options.ts';
import { allCommands } from '../../../src/commands/branches.ts';
import { ValueError } from '../../../src/lib/parse.ts';
import { settingsIn } from '../../settings/support.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { parserOf } from '../../support/parser-of.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
let directory: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  const { profiles } = settingsIn(directory);
  const { baseUrl, keyId, keySecret } = sandbox;
  const key = { baseUrl, keyId, keySecret };
  await profiles.save({ name: 'prod', ...key });
  await profiles.configure('prod', () => ({ protected: true }));
  await profiles.save({ name: 'staging', ...key });
});

function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const env = { BOTCTL_CONFIG_DIR: directory, ...options.env };
  return botctl([...args, '--retries', '0'], { ...options, env });
}

/** Returns a command with a value for everything that it requires. */
function lineFor(path: string, command: Command): readonly string[] {
  const values = Object.values(command.arguments).map((argument) => acceptable(parserOf(argument)));
  const options = Object.values(command.options)
    .filter(({ required, requiredWithout }) => required || requiredWithout !== undefined)
    .flatMap((option) => [longFlag(option), acceptable(parserOf(option))]);
  // An update needs a change, and an unknown outcome a decision.
  const change = command.checkInput && 'name' in command.options ? ['--name', 'x'] : [];
  const answer = 'accepted' in command.options ? ['--accepted'] : [];
  return [...path.split(' '), ...values, ...options, ...change, ...answer];
}

function longFlag({ flags }: Option<unknown>): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

function acceptable(parse: (raw: string) => unknown): string {
  const found = [
    'x',
    '7',
    '+5511988887777',
    'x@example.com',
    '30s',
    'x=1',
    'PATCH',
    '11111111-1111-4111-8111-111111111111',
  ].find((candidate) => {
    try {
      parse(candidate);
      return true;
    } catch (error) {
      if (error instanceof ValueError) return false;
      throw error;
    }
  });
  if (found === undefined) throw new Error('no value is acceptable');
  return found;
}

const calling = (await allCommands()).filter(({ command }) => command.needs !== 'nothing');
const guarded = calling.filter(({ command: { effect } }) => effect !== 'reads' && effect !== 'creates');
const others = calling.filter((one) => !guarded.includes(one));

test('commands that change, destroy or send are guarded; reads and creates are not', () => {
  const paths = guarded.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['send', 'keys delete', 'teams update', 'device connect']));
  expect(others.every(({ command: { effect } }) => effect === 'reads' || effect === 'creates')).toBe(true);
});

describe('with a protected profile, without a terminal', () => {
  test.each(guarded)('$path needs --confirm, and --yes is not enough', async ({ path, command }) => {
    const requests = await requestsFromNow(sandbox);
    const line = lineFor(path, command);
    const confirm = command.effect === 'destroys' ? ['--confirm', 'x'] : [];
    const { exitCode, stdout, stderr } = await run([...line, ...confirm, '--yes']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('--confirm prod');
    expect(stderr).toContain(`prod (${sandbox.baseUrl}) is protected`);
    const wrong = await run([...line, ...confirm, '--yes', '--confirm', 'staging']);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('--confirm prod');
    expect(await requests()).toEqual([]);
  });

  test.each(guarded)('$path continues with it', async ({ path, command }) => {
    const { stderr } = await run([...lineFor(path, command), '--confirm', 'prod', '--yes']);
    expect(stderr).not.toContain('is protected');
  });

  test.each(others)('$path does not ask', async ({ path, command }) => {
    const { stderr } = await run(lineFor(path, command));
    expect(stderr).not.toContain('is protected');
  });

  test.each(guarded)('$path does not ask for another profile', async ({ path, command }) => {
    const { stderr } = await run([...lineFor(path, command), '--profile', 'staging', '--yes']);
    expect(stderr).not.toContain('is protected');
  });
});

describe('with a protected profile, on a terminal', () => {
  let update: readonly string[];
  let requests: Awaited<ReturnType<typeof requestsFromNow>>;

  beforeEach(async () => {
    update = ['teams', 'update', await service.team('Acme'), '--name', 'Acme Norte', '--yes'];
    requests = await requestsFromNow(sandbox);
  });

  test('asks to type its name, with profile and origin in the question', async () => {
    const ran = await run(update, { terminal: true, answers: { 'Type prod to confirm': 'prod' } });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(`Profile prod (${sandbox.baseUrl}) is protected.`);
    expect((await requests()).filter(({ operation }) => operation === 'updateTeam')).toHaveLength(1);
  });

  test.each(['y', 'yes', 'Prod', 'staging', ''])('treats %j as no: exit code 3', async (typed) => {
    const ran = await run(update, { terminal: true, answers: { 'Type prod to confirm': typed } });
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain('You did not type prod. Nothing was done.');
    expect(await requests()).toEqual([]);
  });

  test('asks nothing with --no-input', async () => {
    const ran = await run([...update, '--no-input'], { terminal: true });
    expect(ran.exitCode).toBe(2);
    expect(await requests()).toEqual([]);
  });
});
