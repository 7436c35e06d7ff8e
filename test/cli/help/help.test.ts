import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foldCommand } from '../../../src/cli/help/text.ts';
import { topics } from '../../../src/cli/help/topics.ts';
import { allCommands, branches } from '../../../src/commands/branches.ts';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { botctl, type Ran } from '../../support/botctl.ts';
import { topicRows } from '../../support/topic-rows.ts';

const commands = await allCommands();
const paths = commands.map(({ path }) => path);

/** Every prefix of a command, of one or two words: `sandbox`, `sandbox phone`. */
const groups = [...new Set(paths.flatMap((path) => /^.+(?= )/.exec(path)?.[0] ?? []))];
const nouns = [...new Set(groups.map((group) => group.split(' ')[0] ?? ''))];

/** The nouns whose help ends with a topic. */
const explained = nouns.filter((noun) => topics.some(({ name }) => name === noun));

const help = (...words: readonly string[]): Promise<Ran> => botctl(['help', ...words]);

async function helpOf(path: string, columns = 80): Promise<string> {
  const terminal = { columns, rows: 40 };
  const { exitCode, stdout, stderr } = await botctl([...path.split(' ').filter(Boolean), '--help'], {
    terminal,
  });
  expect({ exitCode, stderr }, `${path} --help`).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe('the help', () => {
  // The text is reviewed. Update it with: npx vitest run --config test/vitest.config.mts test/cli/help -u
  it('of botctl is the reviewed one', async () => {
    const { stdout } = await help();
    expect(stdout).toContain(await helpOf(''));
    await expect(stdout).toMatchFileSnapshot('reviewed/botctl.txt');
  });

  it.each(nouns)('of %s is the reviewed one', async (noun) => {
    const own = [noun, ...groups.filter((group) => group.startsWith(`${noun} `))];
    const texts = await Promise.all(own.map((group) => helpOf(group)));
    await expect(texts.join('\n')).toMatchFileSnapshot(`reviewed/${noun}.txt`);
  });

  it.each(nouns)('of %s names topics that exist', async (noun) => {
    const named = [...(await helpOf(noun)).matchAll(/botctl help (\S+)/g)].map(([, name]) => name);
    expect(topics.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  });

  it('of one command is the reviewed one', async () => {
    await expect(await helpOf('bots update')).toMatchFileSnapshot('reviewed/bots-update.txt');
  });

  it('of each command is the same with help and with --help, on stdout', async () => {
    for (const path of [...groups, ...paths].filter((path) => !explained.includes(path)))
      expect(await help(...path.split(' ')), path).toEqual({
        exitCode: 0,
        stdout: await helpOf(path),
        stderr: '',
      });
  });

  it('of a noun with a topic is the help of its commands, followed by the topic', async () => {
    for (const noun of explained) {
      const { stdout } = await help(noun);
      const page = await topics.find(({ name }) => name === noun)?.load({});
      expect(stdout.startsWith(`${await helpOf(noun)}\n${page?.title}\n\n`), noun).toBe(true);
    }
    expect(await help('desks')).toMatchObject({ exitCode: 0 });
  });

  it('of a topic has all of its headings', async () => {
    for (const { name } of topics) {
      const file = join(packageRoot(), 'src/cli/help/topics', `${name}.md`);
      const headings = [...readFileSync(file, 'utf8').matchAll(/^## (.*)$/gm)].map(([, one]) => `${one}:`);
      const shown = (await help(name)).stdout.split(/\s+/).join(' ');
      expect(
        headings.filter((one) => !shown.includes(one)),
        name,
      ).toEqual([]);
    }
  });

  it.each([40, 80, 120])('of each command fits %d columns', async (columns) => {
    for (const path of ['', ...groups, ...paths]) {
      const lines = (await helpOf(path, columns)).split('\n').filter((line) => line.length > columns);
      // Exempt are words longer than a line, and text that must be copied whole.
      const unfolded = lines.filter((line) => !/^\s*(\$ )?("[^"]*"|\S+)(\s\S+)?( \\)?$/.test(line));
      expect(unfolded, `${path} --help`).toEqual([]);
    }
  });

  it('of each topic is printed on stdout', async () => {
    for (const { name } of topics)
      expect(await help(name), name).toMatchObject({
        exitCode: 0,
        stderr: '',
        stdout: expect.stringMatching(/\S/),
      });
  });

  it('is that of the command even if it is surrounded by other verbs or short options and arguments', async () => {
    const get = await help('bots', 'get');
    expect(await help('bots', 'show')).toEqual(get);
    expect(await help('bots', 'get', 'Desk')).toEqual(get);
    expect(await botctl(['-yo', 'json', 'bots', 'get', '--help'])).toEqual(get);
    expect(await botctl(['--profile', 'teams', 'bots', 'get', '--help'])).toEqual(get);
  });

  it.each([
    ['qr', 'pairing'],
    ['quotas', 'teams update'],
    ['json', 'output'],
  ])('of %s is that of %s', async (word, answer) => {
    expect(await help(word)).toEqual(await help(...answer.split(' ')));
  });

  it('works without a home directory, and creates none', async () => {
    const { exitCode, stdout } = await botctl(['help', 'environment'], {
      env: { BOTCTL_CONFIG_DIR: '/no/such/place' },
    });
    expect(exitCode).toBe(0);
    for (const file of ['config.json', 'rotations', 'data/devices.ndjson', 'data/uploads', 'data/sandbox'])
      expect(stdout).toContain(`\n  /no/such/place/${file} `);
  });

  it('names every environment variable that is read, and no other', async () => {
    const source = join(packageRoot(), 'src');
    const read = new Set(
      readdirSync(source, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => {
          const text = readFileSync(join(source, name), 'utf8');
          // The names of the proxy variables are composed before they are read.
          const quoted = text.includes('env[') ? text.matchAll(/'(\w+_PROXY)'/g) : [];
          // The database variables are named in their declarations, and read in one place.
          const declared = text.matchAll(/\b\w*variable = '(BOTCTL_\w+)'/gi);
          const members = text.matchAll(/\benv\??\.([A-Za-z]\w*)/g);
          return [...members, ...quoted, ...declared].map(([, one = '']) => one.toUpperCase());
        }),
    );
    const byLibraries = ['PGPASSFILE', 'NODE_OPTIONS', 'NODE_DISABLE_COMPILE_CACHE'];
    const terms = (await topicRows('environment')).flatMap(([names]) => names.split(', '));
    const listed = terms.filter((term) => /^[A-Z_]+$/.test(term));
    expect(listed.toSorted()).toEqual([...read, ...byLibraries].toSorted());
  });
});

describe('a noun without a verb', () => {
  it.each(groups.filter((group) => !paths.includes(group)))(
    '%s exits with code 2 and names its help',
    async (group) => {
      const { exitCode, stdout, stderr } = await botctl([...group.split(' '), '-o', 'json']);
      const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
      expect({ exitCode, stdout, next: error.next }).toEqual({
        exitCode: 2,
        stdout: '',
        next: [['botctl', ...group.split(' '), '--help']],
      });
    },
  );
});

describe('an invalid command exits with code 2 and suggests', () => {
  it.each<readonly [string, string, string]>([
    ['the help, if nothing is like the word', 'nonsense', 'botctl --help'],
    ['a command that is spelt like it', 'sandbox phone scn', 'botctl sandbox phone scan'],
    ['a noun that is spelt like it', 'teems list', 'botctl teams'],
    ['another word for the verb', 'bots destroy Desk', 'botctl bots delete Desk'],
    ['another word for the noun, with its verb', 'assistant destroy Desk', 'botctl bots delete Desk'],
    ['the order of words', 'list teams', 'botctl teams list'],
    ['the noun of a verb alone', 'pair Counter', 'botctl device connect'],
    [
      'all nouns of a verb alone',
      'status',
      'botctl device status, botctl desk status or botctl sandbox status',
    ],
    [
      'the command with the profile of the line',
      '--profile other customers ls',
      'botctl --profile other teams list',
    ],
    ['a topic or command of the help', 'help teams lst', 'botctl help teams list'],
    ['a topic that is spelt like it', 'help exit-code', 'botctl help exit-codes'],
    ['an option that is spelt like it', 'sandbox clock advance --dta x', '--data'],
    ['what another command calls an option', 'docs sync handbook --team A --dry-run', '--check'],
    ['a condition in place of an option', 'bots list --role support', '--where role=support'],
    ['a negative condition in place of an option', 'teams list --unbanned', '--where banned=no'],
    ['the format of an option of another tool', 'teams list --format csv', '-o csv'],
    ['the format of a flag of another tool', 'teams list --json', '-o json'],
    ['the format of another name', 'teams list -o jsonl', '-o ndjson'],
    ['ids for -q', 'teams list -q', '-o id'],
    ['a word of --allow that is spelt like it', 'teams list --allow unpublished', '--allow unpublish'],
    ['a value with =, if an option follows', 'teams list --name --limit=3', '--name=--limit'],
    ['what to do without a call of the API', 'teams delete Acme', 'botctl teams update Acme --ban'],
    ['what to do without a call of the API, in help', 'help teams delete', '--ban'],
    ['how to rename', 'teams rename A B', 'botctl teams update A --name B'],
    ['that a device cannot be changed', 'device rename A B', 'The API has no way to change a device.'],
    ['how to copy a sandbox', 'sandbox export', 'botctl sandbox stop'],
    ['how to make calls fail', 'sandbox behave', 'botctl sandbox fault add'],
    ['how to move a clock', 'sandbox clock freeze', 'botctl sandbox clock advance 30s'],
    ['the unexpected argument', 'teams update Aurora Coffee', 'Unexpected argument "Coffee"'],
    ['the value that is missing', 'teams list --sort', '--sort <field>'],
    ['the formats that there are', 'teams list -o xml', 'table, json, ndjson, csv, tsv, yaml, id, markdown'],
  ])('%s: %s', async (_, line, suggestion) => {
    const { exitCode, stdout, stderr } = await botctl(line.split(' '));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(suggestion);
  });
});

describe('a command of one word', () => {
  it.each(branches.filter(({ name }) => paths.includes(name)))(
    'has the same summary in the list of commands: $name',
    ({ name, summary }) => {
      expect(commands.find(({ path }) => path === name)?.command.summary).toBe(summary);
    },
  );
});

describe('an example', () => {
  it('confirms the names that it deletes', () => {
    for (const { command } of commands) {
      for (const { line } of command.examples) {
        const [before = '', ...confirmed] = line.split(' --confirm ');
        for (const name of confirmed) expect(before.match(/"[^"]*"|\S+/g), line).toContain(name);
      }
    }
  });
});

describe('a folded example', () => {
  it('is the same command for a shell', () => {
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
