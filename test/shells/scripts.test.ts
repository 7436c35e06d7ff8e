import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScripts } from '../../src/build/completions/scripts.ts';
import { completionTree } from '../../src/build/completions/tree.ts';
import { allCommands } from '../../src/commands/branches.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { botctl } from '../support/botctl.ts';
import { someOf } from '../support/long.ts';
import { needing } from '../support/needing.ts';
import { Machine, shells } from './shell.ts';

const scripts = await completionScripts();
const tree = await completionTree();

describe('the scripts in completions/', () => {
  it.each(Object.keys(scripts))(
    '%s is what the command tree gives (npm run completions writes it anew)',
    (name) => {
      expect(readFileSync(join(packageRoot(), 'completions', name), 'utf8')).toBe(scripts[name]);
    },
  );

  it.each([
    ['bash', 'botctl.bash'],
    ['zsh', '_botctl'],
    ['fish', 'botctl.fish'],
    ['powershell', 'botctl.ps1'],
  ])('is what botctl completion %s prints', async (shell, name) => {
    const { exitCode, stdout, stderr } = await botctl(['completion', shell]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(scripts[name]);
  });
});

describe('the tree that they are made from', () => {
  it('leads to every command, word by word', async () => {
    for (const { path } of await allCommands()) {
      path.split(' ').forEach((word, index, words) => {
        const before = words.slice(0, index).join(' ');
        const offered = tree.places.find((place) => place.path === before)?.commands;
        expect(
          offered?.map(({ text }) => text),
          path,
        ).toContain(word);
      });
    }
  });

  it('holds only words that no shell takes for something else', () => {
    const words = tree.places.flatMap(({ commands, options, arguments: given }) => [
      ...commands.map(({ text }) => text),
      ...options.flatMap(({ names }) => names),
      ...[...given, ...options.map(({ takes }) => takes)].flatMap((takes) =>
        'words' in takes ? takes.words.map(({ text }) => text) : [],
      ),
    ]);
    expect(words.length).toBeGreaterThan(300);
    // A colon, which ends a word for bash and a name for zsh, their scripts take as a part of it.
    for (const word of words) expect(word).toMatch(/^[\w./{}:-]+$/);
    for (const { summary } of tree.places.flatMap(({ commands, options }) => [...commands, ...options]))
      expect(summary).not.toMatch(/[\n\t]/);
  });

  it('knows every endpoint by its method', () => {
    for (const { method, path } of Object.values(endpoints)) {
      const [first] = tree.places.find((place) => place.path === `api ${method}`)?.arguments ?? [];
      expect(first?.kind === 'words' && first.words.map(({ text }) => text)).toContain(path);
    }
  });
});

describe('what bash offers', needing('bash', shells.includes('bash')), () => {
  let machine: Machine;
  const known = {
    seen: [
      { noun: 'team', id: 'team-1', name: 'Aurora Coffee' },
      { noun: 'team', id: 'team-2', name: 'a:b=c' },
      { noun: 'bot', id: 'bot-1', name: 'Front desk', teamId: 'team-1' },
      { noun: 'bot', id: 'bot-2', name: 'Night desk', teamId: 'team-2' },
    ],
  } as const;
  const quotas = ['bots=', 'accounts=', 'characters=', 'documents=', 'members=', 'credits='];
  beforeAll(() => {
    machine = new Machine(known);
  });
  afterAll(() => machine.remove());
  const withoutBreaks = `COMP_WORDBREAKS=' '`;
  /** There is no botctl to call. */
  const alone = 'PATH=/nonexistent';

  const words = [
    ['botctl ', 'teams'],
    ['botctl sandbox ', 'phone'],
    ['botctl sandbox phone ', 'scan'],
    ['botctl teams list --', '--profile'],
    ['botctl teams list --', '--paying'],
    ['botctl teams list --', '--no-paying'],
    ['botctl whoami ', '--help'],
    ['botctl completion ', 'fish'],
    ['botctl help exit', 'exit-codes'],
    ['botctl help teams ', 'list'],
    ['botctl bots questions ', 'add'],
    ['botctl -o ', 'yaml'],
    ['botctl --allow ', 'duplicate'],
    ['botctl bots update x --allow ', 'unpublish'],
    ['botctl teams list --profile x -o ', 'yaml'],
    ['botctl bots list --team "a b" -o ', 'yaml'],
    ["botctl bots list --team 'it'\\''s' -o ", 'yaml'],
    ['botctl api GET ', '/api/openapi/v1/teams'],
    ['botctl api PATCH /api/openapi/v1/b', '/api/openapi/v1/bots/\\{id\\}'],
  ] as const;
  it.each(someOf(words, 3))('after %j is %j among the words, without starting a process', (line, word) => {
    expect(machine.offersOfBash(line, alone)).toContain(word);
  });

  it('never offers what is hidden, and nothing where nobody can guess', () => {
    expect(machine.offersOfBash('botctl login --', alone)).not.toContain('--key-secret');
    expect(machine.offersOfBash('botctl teams list --name ', alone)).toEqual([]);
    expect(machine.offersOfBash('botctl teams lis', alone)).toEqual(['list']);
    expect(machine.offersOfBash('botctl bots questions add x --allow dup', alone)).toEqual([]);
  });

  const offered: readonly (readonly [string, string, readonly string[]])[] = [
    // The colon and the equals sign break words for readline, which then keeps what stands before.
    ['botctl teams get a:b', '', ['b=c']],
    ['botctl teams get a:b=', '', ['c']],
    ['botctl teams get a:b', withoutBreaks, ['a:b=c']],
    ['botctl bots list --team=a:', '', ['b=c']],
    ['botctl bots list --team=Aur', withoutBreaks, ['--team=Aurora\\ Coffee']],
    // In a quote readline wants a whole word with its quotes, and counts the quote that is typed as the first.
    ['botctl bots list --team="Aur', '', ['"Aurora Coffee"']],
    ['botctl teams get "a:', '', ['"a:b=c"']],
    ['botctl teams get Aur"or', '', ['"ora Coffee"']],
    ['botctl teams get Aur"or"', '', ['Aurora\\ Coffee']],
    ["botctl teams get $'Aur", '', []],
    ['botctl teams get --name $"x" Aur', '', []],
    ['botctl teams get team-', '', ['team-1', 'team-2']],
    ['botctl --profile staging teams get Aur', '', []],
    ['botctl --profile=staging teams get Aur', '', []],
    ['botctl --base-url https://other.example.com teams get Aur', '', []],
    ['botctl bots get --confirm-profile sta', '', ['staging']],
    ['botctl bots get --team "Aurora Coffee" ', '', ['Front\\ desk']],
    ['botctl bots get --team=a:b=c ', '', ['Night\\ desk']],
    ['botctl bots questions add x --allow duplicate,unpublish,', '', []],
    ['botctl teams list --sort name:', '', ['asc', 'desc']],
    ['botctl sandbox behave --order name:', '', ['desc']],
    ['botctl teams list --sort name:d', withoutBreaks, ['name:desc']],
    ['botctl teams list --where pay', '', ['paying=']],
    ['botctl teams list --where paying=', '', []],
    ['botctl teams update x --quota ', '', quotas],
    ['botctl profiles set main --query-name pa', '', ['page=', 'paying=']],
  ];
  it.each(someOf(offered, 4))('%j with %j: %j', (line, setting, offers) => {
    expect(machine.offersOfBash(line, setting)).toEqual(offers);
  });
});

describe('what fish offers', needing('fish', shells.includes('fish')), () => {
  let machine: Machine;
  beforeAll(() => {
    machine = new Machine({
      seen: [
        { noun: 'bot', id: 'bot-1', name: 'Front desk' },
        { noun: 'team', id: 'team-1', name: '~root' },
      ],
    });
  });
  afterAll(() => machine.remove());

  it.each([
    ['botctl who', ['whoami\tShow who you are, and where that came from']],
    ['botctl bots get Fr', ['Front desk\tbot-1']],
    ['botctl bots get --team=x Fr', ['Front desk\tbot-1']],
    ['botctl bots get "bot', ['bot-1\tFront desk']],
    ['botctl teams list "--sort=name:', ['--sort=name:asc', '--sort=name:desc']],
    ["botctl teams list --fields 'id,nam", ['id,name\tname']],
    ['botctl teams list --fields paying,p', ['paying,plan_name\tplan']],
    ['botctl teams get ', ['team-1\t~root']],
    ["botctl teams get '", ['~root\tteam-1']],
    ['botctl -o ya', ['yaml']],
    ['botctl teams list --sort name:', ['name:asc', 'name:desc']],
    ['botctl teams list --where=pay', ['--where=paying=\tpaying']],
    ['botctl teams update x --quota bo', ['bots=\tbots']],
  ])('%j: %j', (line, offers) => {
    expect(machine.offersOfFish(line)).toEqual(offers);
  });
});
