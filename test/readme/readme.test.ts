/**
 * Every command of the README and, after it, of the help topics is run, from the top to the end, on one sandbox and in
 * one home, and every output is compared. The fences say how:
 *
 * - `console`: a person at a terminal. A line behind `$ ` is typed (a backslash takes it on); what stands below is what
 *   the terminal shows then, all of it. A line ends with 0, unless `$ echo $?` below shows what else.
 * - `sh`: a script for bash, off a terminal. It ends with 0.
 * - any language and a name, as in `yaml bot.yaml`: a file of this name, there from then on.
 * - `text` without a name: nothing to run.
 *
 * Ids, times and the like are another at each run and compared by their form (`readme/stable.ts`); `names` below
 * are what the page says for the sandbox's address and key. `UPDATE_README=1` writes the outputs anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { globalOptions } from '../../src/cli/global-options.ts';
import type { HelpPage } from '../../src/cli/help/text.ts';
import { topics } from '../../src/cli/help/topics.ts';
import { type Option, oppositeOf } from '../../src/cli/options.ts';
import { allCommands, branches } from '../../src/commands/branches.ts';
import { exitCodes } from '../../src/lib/errors.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { behave, seed } from '../../src/sandbox/control/client.ts';
import { isLong } from '../support/long.ts';
import { useSandbox } from '../support/sandbox.ts';
import { type Block, blocksOf, typedIn } from './blocks.ts';
import { type Answers, type Names, Session } from './session.ts';
import { stable } from './stable.ts';

/** A file whose blocks are run. */
interface Source {
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Width of the terminal in which its lines are typed. */
  readonly columns: number;
}

const file = join(packageRoot(), 'README.md');
const readme = readFileSync(file, 'utf8');
const blocks = blocksOf(readme);

/** What `botctl help` explains, with the words of each page. */
const pages = await Promise.all(
  topics.map(async ({ name, load }) => {
    const page = await load({ HOME: '/home/ana' });
    return { name, page, words: wordsOf(page) };
  }),
);

const sources: readonly Source[] = [
  { file, text: readme, blocks, columns: 100 },
  ...topics.map(({ name }) => {
    const topic = join(packageRoot(), 'src/cli/help/topics', `${name}.md`);
    const text = readFileSync(topic, 'utf8');
    // Help is read in eighty columns, and indents what is typed.
    return { file: topic, text, blocks: blocksOf(text), columns: 78 };
  }),
];

const names: Names = {
  address: 'https://api.example.com',
  keyId: 'key_5f0c8a1e7b3d46d2a9c41e60',
  secretFile: '/run/secrets/botctl',
};

/** Scripts that are not run, by their first line, and why. */
const notRun: Readonly<Record<string, string>> = {
  ...(!isLong && {
    'botctl sandbox run -- sh check-provision.sh': 'it runs the script twice, which has tests of its own',
  }),
  'npm ci && npm start': 'it installs from the network; the tour has a test of its own',
  'npm pack': 'it installs for the whole machine; packing and installing have a test of their own',
};

/** What a person answers when they are asked, by the words of the question. */
const answers = (secret: string): Answers => ({
  'Key id': names.keyId,
  'Key secret': secret,
  'Do you mean Front desk?': '',
  'to Aurora Coffee?': 'y',
  'Type default to confirm': 'default',
  'Type Front desk to confirm': 'Front desk',
});

describe('the README', () => {
  it('scans with a phone of the number that its outputs show and expect', () => {
    const digits = (text = '') => text.replaceAll(/[^+\d]/g, '');
    const scanned = /sandbox phone scan <the file> --number "([^"]+)"/.exec(readme)?.[1];
    const shown = [...readme.matchAll(/Paired Reception as (\+\d+)|--expect "([^"]+)"/g)].map(
      ([, paired, expected]) => digits(paired ?? expected),
    );
    expect(new Set(shown)).toEqual(new Set([digits(scanned)]));
  });

  it('names every exit code, and no other', () => {
    const named = [...readme.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = '']) =>
      codes.split(', ').map(Number),
    );
    expect(named.sort((one, other) => one - other)).toEqual(
      Object.values(exitCodes).sort((one, other) => one - other),
    );
  });

  it('names every command, and no other', { timeout: 60_000 }, async () => {
    const section = /^## Commands\n(.*?)^## /ms.exec(readme)?.[1] ?? '';
    const named = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) => commandsIn(cell));
    const commands = await allCommands();
    const missing = commands.filter(({ path }) => !named.includes(path));
    const rows = missing.map(
      ({ path, command }) =>
        `| \`${path}\` | ${command.summary.charAt(0).toLowerCase()}${command.summary.slice(1)} |`,
    );
    expect(rows, 'Add these rows, or a part of the row of their noun, to the table of "## Commands"').toEqual(
      [],
    );
    expect(
      named.sort(),
      'The table of "## Commands" names a command twice, or one that is not there',
    ).toEqual(commands.map(({ path }) => path).sort());
  });

  it('speaks only of options that exist', async () => {
    const commands = await allCommands();
    const flagsOf = (flags: string): readonly string[] => flags.match(/--?[\w-]+/g) ?? [];
    const formsOf = (option: Option<unknown>): readonly string[] =>
      flagsOf(option.flags).flatMap((form) =>
        oppositeOf(option) === undefined ? [form] : [form, form.replace('--', '--no-')],
      );
    // `--confirm` is added to what can't be undone.
    const global = [
      '--help',
      '--version',
      '--confirm',
      ...globalOptions.flatMap(({ flags }) => flagsOf(flags)),
    ];
    const known = commands.flatMap(({ command }) => Object.values(command.options).flatMap(formsOf));
    // Beside a command they have to be its own; alone in a sentence, those of any.
    for (const [, code = ''] of readme.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)) {
      const options = code.match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];
      const line = code.replace(/^botctl /, '');
      const own = commands.find(({ path }) => `${line} `.startsWith(`${path} `))?.command.options;
      const allowed = own ? Object.values(own).flatMap(formsOf) : known;
      if (/^(?:npm|npx|curl|ssh) /.test(line)) continue;
      for (const option of options) expect([...allowed, ...global], code).toContain(option);
    }
    for (const { name, words } of pages) {
      const options = words.replaceAll(/npm (?:ci|install) \S+/g, '').match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];
      for (const option of options) expect([...known, ...global], `botctl help ${name}`).toContain(option);
    }
  });

  it('speaks only of commands that exist', async () => {
    const paths = (await allCommands()).map(({ path }) => path);
    const names = [...topics, ...branches].map(({ name }) => name);
    const named = [
      ...[...readme.matchAll(/(?<!`)`botctl ([^`\n]+)`(?!`)/g)].map(([, line = '']) => line),
      ...pages.flatMap(({ page }) => shownCommands(page)),
    ];
    expect(named.length).toBeGreaterThan(40);
    const unknown = named.filter((line) => {
      const [first = '', second = ''] = line.split(' ');
      if (/^[-<]/.test(first)) return false;
      if (first === 'help') return !/^<|^$/.test(second) && !names.includes(second);
      return !paths.some((path) => `${line} `.startsWith(`${path} `)) && line !== first;
    });
    expect(unknown).toEqual([]);
  });

  it('names every topic of the help, and the topics no command', () => {
    const rows = topics.map(({ name, summary }) => `| \`${name}\` | ${summary} |`);
    for (const row of rows) expect(readme.split('\n')).toContain(row);
    // `botctl help <word>` shows one of them.
    const commands = branches.map(({ name }) => name);
    expect(topics.filter(({ name }) => commands.includes(name))).toEqual([]);
  });

  it('leads to places that are there', () => {
    const slug = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');
    const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading));
    for (const [, place = ''] of readme.matchAll(/\]\(#([\w-]+)\)/g)) expect(headings).toContain(place);
  });

  it('has only blocks that are run, and few that are not', () => {
    for (const { language, file, text } of blocks)
      if (file === undefined) expect(['console', 'sh', 'text'], text).toContain(language);
    const scripts = blocks.filter(({ language }) => language === 'sh').map(({ text }) => firstLine(text));
    for (const script of Object.keys(notRun)) expect(scripts).toContain(script);
  });
});

describe('every command of the README and the help topics', () => {
  const sandbox = useSandbox({ phone: 'manual' });
  const other = useSandbox();
  const updated = new Map(sources.map(({ file, text }) => [file, text]));
  afterAll(() => {
    if (!process.env.UPDATE_README) return;
    for (const { file, text } of sources)
      if (updated.get(file) !== text) writeFileSync(file, updated.get(file) ?? text);
  });

  it('does what the page shows', { timeout: 240_000 }, async () => {
    await seed(other.control, { teams: 60, bots: 4, documents: 4, seed: 'readme' });
    const renamed = [
      ['page', 'pageNumber'],
      ['limit', 'per_page'],
      ['name', 'q'],
    ] as const;
    await behave(other.control, { rename_query: renamed.map(([from, to]) => ({ from, to })), max_limit: 50 });
    const session = new Session(sandbox, names, other);
    try {
      for (const source of sources) {
        // A reader keeps one shell from the top of a page to its end, so that what was exported stays.
        session.openShell(source.columns);
        for (const block of source.blocks) await follow(session, source, block);
      }
    } finally {
      session.end();
    }
  });

  async function follow(session: Session, source: Source, block: Block): Promise<void> {
    const { language, file, text } = block;
    if (file !== undefined) session.save(file, text);
    else if (language === 'console') await converse(session, source, block);
    else if (language === 'sh' && !(firstLine(text) in notRun)) {
      const { exitCode, said } = await session.script(text);
      expect.soft(exitCode, `${text}\n${said}`).toBe(0);
    }
  }

  async function converse(session: Session, source: Source, block: Block): Promise<void> {
    const lines = typedIn(block);
    for (const [index, { line, shown: expected, from, to }] of lines.entries()) {
      const { exitCode, shown } = await session.type(line, answers(sandbox.keySecret.reveal()));
      if (lines[index + 1]?.line !== 'echo $?') expect.soft(exitCode, `${line}\n${shown}`).toBe(0);
      if (!process.env.UPDATE_README) {
        expect.soft(`$ ${line}\n${stable(shown)}`).toBe(`$ ${line}\n${stable(expected)}`);
        continue;
      }
      const before = updated.get(source.file) ?? source.text;
      const begin = block.at + from + before.length - source.text.length;
      updated.set(source.file, before.slice(0, begin) + ending(shown) + before.slice(begin + to - from));
    }
  }
});

/** The commands in a cell of the table, such as `` `teams list\|get`, `login` ``; a word in capitals is an argument. */
const commandsIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => {
    const [noun = '', ...rest] = code.split(' ').filter((word) => !/^[A-Z]+$/.test(word));
    if (rest.length === 0) return [noun];
    return rest
      .join(' ')
      .split('\\|')
      .map((verb) => `${noun} ${verb}`);
  });

/** The words of a page of help, without what a terminal shows. */
function wordsOf({ parts }: HelpPage): string {
  const each = parts.map((part) => {
    if (typeof part === 'string') return part;
    return 'rows' in part ? part.rows.flat().join('\n') : '';
  });
  return each.join('\n');
}

/** The command lines in a page of help: those after `botctl`, and the terms of its tables that begin with a noun. */
function shownCommands(page: HelpPage): readonly string[] {
  const nouns = branches.map(({ name }) => name);
  const terms = page.parts.flatMap((part) =>
    typeof part === 'object' && 'rows' in part ? part.rows.map(([term]) => term) : [],
  );
  const ofTerms = terms
    .filter((term) => nouns.includes(term.split(' ')[0] ?? '') && term.includes(' '))
    .flatMap((term) => {
      const verbs = term.split(' ').find((word) => word.includes('|')) ?? '';
      return verbs.split('|').map((verb) => term.replace(verbs, verb));
    });
  const inText = [...wordsOf(page).matchAll(/botctl ([a-z]+ [a-z-]+(?: [a-z]+)?)/g)]
    .map(([, line = '']) => line)
    .filter((line) => line.startsWith('help ') || nouns.includes(line.split(' ')[0] ?? ''));
  return [...ofTerms, ...inText];
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** A text with one line end, unless it is empty. */
const ending = (text: string): string => (text.trim() === '' ? '' : `${text.trimEnd()}\n`);
