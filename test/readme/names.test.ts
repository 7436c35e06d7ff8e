/** Checks that the names in the README and the help topics exist: commands, options, exit codes, topics, anchors. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { globalOptions } from '../../src/cli/global-options.ts';
import type { HelpPage } from '../../src/cli/help/text.ts';
import { topics } from '../../src/cli/help/topics.ts';
import type { Option } from '../../src/cli/options.ts';
import { allCommands, branches } from '../../src/commands/branches.ts';
import { exitCodes } from '../../src/lib/errors.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');

/** The topics of `botctl help`, with the words of each page. */
const pages = await Promise.all(
  topics.map(async ({ name, load }) => {
    const page = await load({ HOME: '/home/ana' });
    return { name, page, words: wordsOf(page) };
  }),
);

describe('the README', () => {
  it('names every exit code, and no other', () => {
    const named = [...readme.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = '']) =>
      codes.split(', ').map(Number),
    );
    expect(named.sort((one, other) => one - other)).toEqual(
      Object.values(exitCodes).sort((one, other) => one - other),
    );
  });

  it('names every command, and no other', async () => {
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

  it('mentions only options that exist', async () => {
    const commands = await allCommands();
    const flagsOf = (flags: string): readonly string[] => flags.match(/--?[\w-]+/g) ?? [];
    const formsOf = (option: Option<unknown>): readonly string[] =>
      flagsOf(option.flags).flatMap((form) =>
        option.off === undefined ? [form] : [form, form.replace('--', '--no-')],
      );
    // Commands that can't be undone also take `--confirm`.
    const global = [
      '--help',
      '--version',
      '--confirm',
      ...globalOptions.flatMap(({ flags }) => flagsOf(flags)),
    ];
    const known = commands.flatMap(({ command }) => Object.values(command.options).flatMap(formsOf));
    // Options beside a command must belong to it; alone in a sentence, to any command.
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

  it('mentions only commands that exist', async () => {
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

  it('names every topic of the help', () => {
    const section = /^## Help topics\n(.*?)^## /ms.exec(readme)?.[1] ?? '';
    const named = [...section.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(topics.map(({ name }) => name).toSorted());
  });

  it('has no topic with the name of a command that is not a noun', async () => {
    const commands = (await allCommands()).map(({ path }) => path);
    // mcp is both a command and a noun with subcommands.
    const nouns = new Set(commands.flatMap((path) => /^(\S+) /.exec(path)?.[1] ?? []));
    expect(topics.filter(({ name }) => commands.includes(name) && !nouns.has(name))).toEqual([]);
  });

  it('has only links that work', () => {
    const slug = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');
    const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading));
    for (const [, place = ''] of readme.matchAll(/\]\(#([\w-]+)\)/g)) expect(headings).toContain(place);
  });
});

/**
 * Returns the commands in a cell of the table, such as `` `teams list\|get`, `login` ``; a word in capitals is an
 * argument.
 */
const commandsIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => {
    const [noun = '', ...rest] = code.split(' ').filter((word) => !/^[A-Z]+$/.test(word));
    if (rest.length === 0) return [noun];
    return rest
      .join(' ')
      .split('\\|')
      .map((verb) => `${noun} ${verb}`);
  });

/** Returns the words of a help page, without terminal output. */
function wordsOf({ parts }: HelpPage): string {
  const each = parts.map((part) => {
    if (typeof part === 'string') return part;
    return 'rows' in part ? part.rows.flat().join('\n') : '';
  });
  return each.join('\n');
}

/** Returns the commands in a help page: those after `botctl`, and the terms of its tables that begin with a noun. */
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
