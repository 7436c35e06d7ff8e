/**
 * Every command on the page is run, from its top to its end, on one sandbox and in one home, and every output is
 * compared. The fences say how:
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
import { exitCodes } from '../src/errors.ts';
import { globalOptions } from '../src/input/global-options.ts';
import { type Option, oppositeOf } from '../src/input/options.ts';
import { packageRoot } from '../src/package-root.ts';
import { allCommands } from '../src/program.ts';
import { type Block, blocksOf, typedIn } from './readme/blocks.ts';
import { type Answers, type Names, Session } from './readme/session.ts';
import { stable } from './readme/stable.ts';
import { useSandbox } from './support/sandbox.ts';

const file = join(packageRoot(), 'README.md');
const readme = readFileSync(file, 'utf8');
const blocks = blocksOf(readme);

const names: Names = {
  address: 'https://api.example.com',
  keyId: 'key_5f0c8a1e7b3d46d2a9c41e60',
  secretFile: '/run/secrets/botctl',
};

/** Scripts that are not run, by their first line, and why. */
const notRun: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'it installs from the network; the tour has a test of its own',
  'npm pack': 'it installs for the whole machine; packing and installing have a test of their own',
  'npm ci               # installs and builds': 'they are what runs these tests, or take long',
};

/** What a person answers when they are asked, by the words of the question. */
const answers = (secret: string): Answers => ({
  'Key id': names.keyId,
  'Key secret': secret,
  'Type default to confirm': 'default',
  'Type Front desk to confirm': 'Front desk',
});

describe('the README', () => {
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
    expect(named.sort()).toEqual((await allCommands()).map(({ path }) => path).sort());
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
      if (/^(?:npm|npx|curl|ssh) /.test(line) || code === '--omit=optional') continue;
      for (const option of options) expect([...allowed, ...global], code).toContain(option);
    }
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

describe('every command of the README', () => {
  const sandbox = useSandbox({ phone: 'manual' });
  let updated = readme;
  afterAll(() => {
    if (process.env.UPDATE_README && updated !== readme) writeFileSync(file, updated);
  });

  it('does what the page shows', { timeout: 240_000 }, async () => {
    const session = new Session(sandbox, names);
    try {
      let page = '';
      for (const block of blocks) {
        if (block.page !== page) session.openShell();
        page = block.page;
        await follow(session, block);
      }
    } finally {
      session.end();
    }
  });

  async function follow(session: Session, block: Block): Promise<void> {
    const { language, file, text } = block;
    if (file !== undefined) session.save(file, text);
    else if (language === 'console') await converse(session, block);
    else if (language === 'sh' && !(firstLine(text) in notRun)) {
      const { exitCode, said } = await session.script(text);
      expect.soft(exitCode, `${text}\n${said}`).toBe(0);
    }
  }

  async function converse(session: Session, block: Block): Promise<void> {
    const lines = typedIn(block);
    for (const [index, { line, shown: expected, from, to }] of lines.entries()) {
      const { exitCode, shown } = await session.type(line, answers(sandbox.keySecret.reveal()));
      if (lines[index + 1]?.line !== 'echo $?') expect.soft(exitCode, `${line}\n${shown}`).toBe(0);
      if (!process.env.UPDATE_README) {
        expect.soft(`$ ${line}\n${stable(shown)}`).toBe(`$ ${line}\n${stable(expected)}`);
        continue;
      }
      const begin = block.at + from + updated.length - readme.length;
      updated = updated.slice(0, begin) + ending(shown) + updated.slice(begin + to - from);
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

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** A text with one line end, unless it is empty. */
const ending = (text: string): string => (text.trim() === '' ? '' : `${text.trimEnd()}\n`);
