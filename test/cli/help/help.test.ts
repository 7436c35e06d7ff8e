import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { globalOptions } from '../../../src/cli/global-options.ts';
import { foldCommand } from '../../../src/cli/help/text.ts';
import { topics } from '../../../src/cli/help/topics.ts';
import { allCommands, branches } from '../../../src/commands/branches.ts';
import { choices } from '../../../src/learn/choices.ts';
import { codeOf, exitCodes, failureKinds } from '../../../src/lib/errors.ts';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { outputFormats } from '../../../src/output/formats.ts';
import { botctl, type Ran, type RunOptions } from '../../support/botctl.ts';
import { topicRows } from '../../support/topic-rows.ts';

const commands = await allCommands();
const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');

const help = (...words: readonly string[]): Promise<Ran> => botctl(['help', ...words]);
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

/** Every noun with two words or more: `sandbox phone`. */
const groups = [
  ...new Set(
    commands.flatMap(({ path }) => {
      const words = path.split(' ');
      return words.slice(1).map((_, index) => words.slice(0, index + 1).join(' '));
    }),
  ),
];

describe('botctl --help', () => {
  it('is one screen of 80 columns and 40 lines, with every command and where to go on', async () => {
    const { exitCode, stdout, stderr } = await botctl(['--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n').length).toBeLessThan(40);
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    for (const { name, summary } of branches)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    expect(stdout).toContain('botctl help <command>, botctl help <topic>; botctl help lists the topics');
  });

  it('goes on in botctl help, with every topic', async () => {
    const { stdout } = await help();
    expect(stdout).toContain((await botctl(['--help'])).stdout);
    for (const { name, summary } of topics)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });
});

describe('the help of a command', () => {
  it.each([
    ['-yo', 'json'],
    ['-o', 'json'],
    ['--profile', 'bots'],
  ])('is the same behind %s %s, whatever short options written as one mean', async (...options) => {
    const plain = await botctl(['teams', 'list', '--help']);
    expect(await botctl([...options, 'teams', 'list', '--help'])).toEqual(plain);
  });

  it.each(commands)('$path is the same in both ways, and fits 80 columns', async ({ path }) => {
    const words = path.split(' ');
    const { exitCode, stdout, stderr } = await help(...words);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe((await botctl([...words, '--help'])).stdout);
    expect(stdout).toContain(`Usage: botctl ${path}`);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout.endsWith('\n\nOptions of every command: botctl help options\n')).toBe(true);
  });

  it.each(groups)('%s says what it is for, and what belongs to it', async (group) => {
    const words = group.split(' ');
    const { exitCode, stdout } = await help(...words);
    expect(exitCode).toBe(0);
    expect(stdout).toBe((await botctl([...words, '--help'])).stdout);
    expect(stdout).toMatch(/^Usage: botctl [a-z ]+ <command>\n\n[A-Z][^\n]{10,}\n\nCommands:\n/);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect((await botctl(words)).exitCode).toBe(2);
    const json = await botctl([...words, '-o', 'json']);
    const last = JSON.parse(json.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ error: { exit: 2, hint: `See botctl ${group} --help` } });
  });

  it('shows the words of --allow that the command heeds', async () => {
    const commands = (await allCommands()).map(({ path, command }) => ({ path, heeds: command.heeds ?? [] }));
    for (const { path, heeds } of commands.filter((one) => one.path.startsWith('bots '))) {
      const { stdout } = await botctl([...path.split(' '), '--help']);
      const [, words = ''] = /--allow <words>([\s\S]*?)(?:\n {2}-|\n\n)/.exec(stdout) ?? [];
      expect(words.match(/\w+(?=:)/g) ?? []).toEqual(heeds);
    }
    expect(commands.filter(({ heeds }) => heeds.includes('unpublish')).length).toBeGreaterThan(5);
  });

  it('follows the width of the terminal', async () => {
    const at = (columns: number): RunOptions => ({ terminal: { columns, rows: 40 } });
    const wide = (await botctl(['api', '--help'], at(120))).stdout;
    expect(widest(wide)).toBeGreaterThan(80);
    expect(widest(wide)).toBeLessThanOrEqual(120);
  });

  it.each(['', ...groups, ...commands.map(({ path }) => path)])(
    'of "%s" breaks no word at 40 columns',
    async (path) => {
      for (const columns of [40, 20]) {
        const at: RunOptions = { terminal: { columns, rows: 40 } };
        const { stdout } = await botctl([...path.split(' ').filter(Boolean), '--help'], at);
        const long = stdout.split('\n').filter((line) => line.length > 40);
        // A word that is longer than a line, and what can be copied whole.
        expect(long.filter((line) => !/^\s*(\$ )?("[^"]*"|\S+)(\s\S+)?( \\)?$/.test(line))).toEqual([]);
      }
    },
  );

  it('names the other verbs of a command once, and is found by them', async () => {
    const { stdout } = await help('bots');
    expect(stdout).toMatch(/^ {2}get\|show .*^ {2}delete\|rm /ms);
    expect((await help('bots', 'show')).stdout).toBe((await help('bots', 'get')).stdout);
    expect((await help('bots', 'get')).stdout).toContain('Usage: botctl bots get|show ');
  });

  it('is that of the command where arguments follow', async () => {
    expect((await help('teams', 'get', 'Acme')).stdout).toBe((await help('teams', 'get')).stdout);
  });
});

describe('help for what is not there', () => {
  it.each([
    [['nonsense'], 'no command or help topic "nonsense"', 'See botctl --help'],
    [['teems'], 'no command or help topic "teems"', 'Did you mean botctl help teams?'],
    [['exit-code'], 'no command or help topic', 'Did you mean botctl help exit-codes?'],
    [['teams', 'lst'], 'botctl teams has no command "lst"', 'Did you mean botctl help teams list?'],
    [['sandbox', 'phone', 'scn'], 'botctl sandbox phone has no command', 'botctl help sandbox phone scan?'],
    [['teams', 'delete'], 'no way to delete a team', '--ban'],
    [['sandbox', 'export'], 'copying its data directory', 'botctl sandbox stop'],
    [['sandbox', 'import'], 'copying its data directory', 'botctl sandbox stop'],
  ])('%j ends with 2 and a suggestion', async (words, message, hint) => {
    const { exitCode, stdout, stderr } = await help(...words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });
});

describe('a wrong line', () => {
  it.each([
    [['nonsense'], 'See botctl --help'],
    [['teams', 'lst'], 'Did you mean botctl teams list? See botctl teams --help'],
    [['sandbox', 'phone', 'scn'], 'Did you mean botctl sandbox phone scan? See botctl sandbox phone --help'],
    [
      ['sandbox', 'clock', 'advance', '--dta', 'x'],
      'Did you mean --data? See botctl sandbox clock advance --help',
    ],
    [['teams', 'get', 'Acme', '--nme'], 'See botctl teams get --help'],
    [['--profile', 'teams', 'bots', 'lst'], 'See botctl bots --help'],
    [['bots', 'view'], 'Did you mean botctl bots get? See botctl bots --help'],
    [['bots', 'questions', 'del'], 'Did you mean botctl bots questions remove?'],
    [['pair', 'Counter'], 'Did you mean botctl device connect? See botctl --help'],
    [['plan'], 'Did you mean botctl tenants plan? See botctl --help'],
    [['apply', 'tenants'], 'Did you mean botctl tenants apply?'],
    [['connect', 'Counter'], 'Did you mean botctl device connect?'],
    [['status'], 'Did you mean botctl device status or botctl sandbox status?'],
    [['unpair', 'Counter'], 'Did you mean botctl device disconnect?'],
    [['scan'], 'Did you mean botctl sandbox phone scan?'],
    [
      ['list'],
      'Did you mean botctl profiles list, botctl keys list, botctl teams list, botctl bots list, botctl docs list, ' +
        'botctl device list, botctl campaigns list or botctl optouts list?',
    ],
    [['help', 'pair'], 'Did you mean botctl help device connect?'],
    [['teams', 'rm'], 'The API has no way to delete a team.'],
    [['teams', 'rename', 'A', 'B'], 'Rename it: botctl teams update <team> --name <name>'],
    [['bot', 'rename', 'A', 'B'], 'Rename it: botctl bots update <bot> --name <name>'],
    [['device', 'rename', 'A', 'B'], 'The API has no way to change a device.'],
    [['keys', 'rename', 'A', 'B'], 'The API has no way to change a key.'],
    [['bots', 'list', '--role', 'support'], 'Try --where role=support. See botctl bots list --help'],
    [['bots', 'list', '--role=two words'], 'Try --where role="two words".'],
    [['bots', 'list', '--published'], 'Try --where published=yes.'],
    [['bots', 'list', '--unpublished'], 'Try --where published=no.'],
    [['bots', 'list', '--not-published'], 'Try --where published=no.'],
    [['teams', 'list', '--unbanned'], 'Try --where banned=no.'],
    [['bots', 'get', 'Desk', '--role', 'support'], 'See botctl bots get --help'],
    [['team', 'list'], 'Did you mean botctl teams list? See botctl --help'],
    [['bot', 'rm', 'Desk'], 'Did you mean botctl bots delete?'],
    [['bots', 'question', 'new'], 'Did you mean botctl bots questions add?'],
    [['doc', 'show'], 'Did you mean botctl docs get?'],
    [['document', 'new'], 'Did you mean botctl docs upload?'],
    [['key'], 'Did you mean botctl keys?'],
    [['devices', 'ls'], 'Did you mean botctl device list?'],
    [['device', 'info', 'Counter'], 'Did you mean botctl device status?'],
    [['device', 'new'], 'Did you mean botctl device create?'],
    [['device', 'start'], 'Did you mean botctl device connect?'],
    [['profile', 'rm', 'staging'], 'Did you mean botctl profiles remove?'],
    [['profile', 'new'], 'Sign in: botctl login --profile <name>'],
    [['list', 'teams'], 'Did you mean botctl teams list?'],
    [['message', 'send'], 'Did you mean botctl send?'],
    [['team', 'delete', 'Acme'], 'Ban it instead: botctl teams update <team> --ban'],
    [['sandbox', 'serve'], 'Did you mean botctl sandbox start?'],
    [['sandbox', 'kill'], 'Did you mean botctl sandbox stop?'],
    [['device', 'stop'], 'Did you mean botctl device disconnect?'],
    [['--profile', 'staging', 'team', 'ls'], 'Did you mean botctl --profile staging teams list?'],
    [['teams', 'list', '--json'], 'Did you mean -o json? See botctl teams list --help'],
    [['teams', 'list', '--format', 'json'], 'Did you mean -o json?'],
    [['teams', 'list', '--format=table'], 'Did you mean -o table?'],
    [['teams', 'list', '--format'], 'Did you mean -o json?'],
    [['teams', 'list', '-f', 'csv'], 'Did you mean -o csv?'],
    [['teams', 'list', '--csv'], 'Did you mean -o csv?'],
    [['bots', 'get', 'Desk', '--yaml'], 'Did you mean -o yaml?'],
    [['docs', 'sync', 'handbook', '--team', 'A', '--dry-run'], 'Did you mean --check?'],
    [['docs', 'upload', 'menu.txt', '--team', 'A', '--check'], 'Did you mean --dry-run?'],
    [['teams', 'list', '--quiet'], 'Did you mean -o id?'],
    [['teams', 'list', '-q'], 'Did you mean -o id?'],
    [['teams', 'list', '-o', 'jsonl'], 'Did you mean -o ndjson?'],
    [['teams', 'list', '-o', 'JSON'], 'Did you mean -o json?'],
  ])('%j names the help to look at', async (args, hint) => {
    const { exitCode, stderr } = await botctl(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(hint);
  });
});

describe('a wrong line is told in plain words', () => {
  it.each([
    [
      ['teams', 'list', '-o', 'xml'],
      '-o must be one of table, json, ndjson, csv, tsv, yaml, id, markdown, help, not "xml".',
    ],
    [
      ['teams', 'list', 'Acme'],
      '"Acme" is one word too many: botctl teams list takes no words after its name.',
    ],
    [
      ['teams', 'update', 'Aurora', 'Coffee'],
      '"Coffee" is one word too many: botctl teams update takes <team>.',
    ],
    [['teams', 'list', '--sort'], '--sort needs a value: --sort <field>.'],
    [
      ['teams', 'list', '--allow', 'unpublish,dupe', '--allow', 'unpublished'],
      '--allow takes unpublish, duplicate, lower-quota, ban, adopt, create-device, recreate, resend, delete-bot, not "unpublished".\n  Did you mean --allow unpublish?\n',
    ],
    [
      ['teams', 'list', '--output', '--profile', 'sandbox'],
      '--output needs a value: --output <format>. Behind it comes --profile.\n  See botctl teams list --help\n',
    ],
    [
      ['teams', 'list', '--name', '--limit=3'],
      'Behind it comes --limit.\n  If --limit is its value, write --name=--limit. See botctl teams list --help\n',
    ],
    [['teams', 'list', '-o'], '--output needs a value: --output <format>.'],
  ])('%j', async (args, words) => {
    const { exitCode, stdout, stderr } = await botctl(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('rgument');
  });
});

describe('a topic', () => {
  it.each(topics)('$name fits 80 columns, and says something', async ({ name }) => {
    const { exitCode, stdout, stderr } = await help(name);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n').length).toBeGreaterThan(10);
    // A path may be longer than a line, and so may the JSON and the line of curl that botctl prints.
    const long = stdout.split('\n').filter((line) => line.length > 80 && !/^ {2}(?:\/|\{|curl )/.test(line));
    expect(long).toEqual([]);
  });

  it('exit-codes, the README and the codes themselves agree', async () => {
    const rows = [...readme.matchAll(/^\| (\d+) \| (.*) \| (.*) \|$/gm)].map((row) =>
      row.slice(1).map((cell) => cell.replaceAll('`', '')),
    );
    const meanings = await topicRows('exit-codes');
    const codes = Object.values(exitCodes).sort((one, other) => one - other);
    expect(rows.map(([exit, meaning]) => [exit, meaning])).toEqual(meanings.slice(0, codes.length));
    expect(rows.map(([exit]) => Number(exit))).toEqual(codes);
    const named = await topicRows('exit-codes', 'Codes of errors, by exit code');
    expect(rows.slice(1).map(([exit, , code]) => [exit, code])).toEqual(named);
    const each = named.flatMap(([exit, list]) => list.split(', ').map((code) => [code, Number(exit)]));
    expect(each).toEqual(Object.entries(failureKinds).map(([kind, exit]) => [codeOf(kind), exit]));
    const explained = (await topicRows('exit-codes', 'The codes of exit 2 and 10')).map(([code]) => code);
    expect(explained).toEqual(each.filter(([, exit]) => exit === 2 || exit === 10).map(([code]) => code));
  });

  it('options names every option that every command takes', async () => {
    const { stdout } = await help('options');
    for (const { flags } of globalOptions) expect(stdout).toContain(` ${flags} `);
  });

  it('output names every format, and no other', async () => {
    const { stdout } = await help('output');
    for (const format of outputFormats) expect(stdout).toMatch(new RegExp(`^  ${format} +\\S`, 'm'));
    expect((await topicRows('output')).map(([format]) => format)).toEqual(outputFormats);
  });

  it('specification has each choice once, beside what botctl and the sandbox do about it', async () => {
    const page = await topics.find(({ name }) => name === 'specification')?.load({});
    const lists = page?.parts.flatMap((part) =>
      typeof part === 'object' && 'rows' in part ? [part.rows] : [],
    );
    for (const { name, specification } of choices) {
      const found = lists?.filter((rows) => rows.some(([term]) => term === name)) ?? [];
      expect({ name, lists: found.length }).toEqual({ name, lists: 1 });
      expect(found[0]?.filter(([term]) => [name, 'botctl', 'sandbox'].includes(term))).toEqual([
        [name, specification],
        ['botctl', expect.stringMatching(/./)],
        ['sandbox', expect.stringMatching(/./)],
      ]);
    }
  });

  it('files shows where they are, without making any', async () => {
    const { stdout } = await botctl(['help', 'files'], { env: { BOTCTL_CONFIG_DIR: '/no/such/place' } });
    for (const file of [
      'config.json',
      'rotations',
      'data/devices.ndjson',
      'data/uploads',
      'data/drafts',
      'data/sandbox',
    ])
      expect(stdout).toContain(`\n  /no/such/place/${file}\n`);
  });
});

describe('the list of environment variables', async () => {
  /** It is a library that reads them. */
  const readByLibrary = [
    'PGPASSFILE',
    'XDG_CONFIG_HOME',
    'XDG_CACHE_HOME',
    'XDG_DATA_HOME',
    'APPDATA',
    'LOCALAPPDATA',
  ];
  const source = join(packageRoot(), 'src');
  const read = new Set(
    readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => {
        const text = readFileSync(join(source, name), 'utf8');
        // The proxy's variables are read by names that are put together.
        const quoted = text.includes('env[') ? text.matchAll(/'(\w+_PROXY)'/g) : [];
        // Those of databases are named where they are declared, and read in one place.
        const declared = text.matchAll(/\b\w*variable = '(BOTCTL_\w+)'/gi);
        return [...text.matchAll(/\benv\??\.([A-Za-z]\w*)/g), ...quoted, ...declared].map(([, one = '']) =>
          one.toUpperCase(),
        );
      }),
  );
  const listed = (await topicRows('environment')).flatMap(([names]) => names.split(', '));

  it('has every variable that is read', () => {
    expect(read.size).toBeGreaterThan(15);
    expect([...read].filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('has no variable that nobody reads', () => {
    expect(listed.filter((name) => !read.has(name) && !readByLibrary.includes(name))).toEqual([]);
    expect(readByLibrary.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('says of its own what the README says', async () => {
    const plain = readme.replaceAll('`', '');
    const own = await topicRows('environment', 'Of botctl');
    expect(own.length).toBeGreaterThan(4);
    for (const [names, meaning] of own) {
      const row = `| ${names} | ${meaning} |`;
      expect([row, plain.includes(row)]).toEqual([row, true]);
    }
  });
});

describe('a folded example', () => {
  it('is the same line for a shell', () => {
    for (const { command } of commands) {
      for (const { line } of command.examples) {
        const folded = foldCommand(line, 40, '  ');
        expect(folded.replace(/ \\\n +/g, ' ')).toBe(line);
      }
    }
  });

  it('breaks at no quoted space, and not between an option and its value', () => {
    expect(foldCommand('botctl a "b c d e f g" --name "x y z" \'k l\' last', 22, '  ').split('\n')).toEqual([
      'botctl a \\',
      '  "b c d e f g" \\',
      '  --name "x y z" \\',
      "  'k l' last",
    ]);
  });
});
