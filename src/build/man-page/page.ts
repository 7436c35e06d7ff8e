import type { Command as Commander } from 'commander';
import { readArgv } from '../../cli/argv.ts';
import type { Example } from '../../cli/command.ts';
import { readPage } from '../../cli/help/page.ts';
import { foldCommand, foldShell, helperFor } from '../../cli/help/text.ts';
import environment from '../../cli/help/topics/environment.md?raw';
import exitCodes from '../../cli/help/topics/exit-codes.md?raw';
import files from '../../cli/help/topics/files.md?raw';
import options from '../../cli/help/topics/options.md?raw';
import output from '../../cli/help/topics/output.md?raw';
import { allCommands, branches } from '../../commands/branches.ts';
import type { Io } from '../../lib/io.ts';
import { version } from '../../lib/version.ts';
import { createProgram } from '../../program.ts';
import { Redactor } from '../../secrets/redactor.ts';
import { bold, heading, item, layout, paragraphs, subheading, title, verbatim } from './roff.ts';

/** Columns for a line of a shell; a man page is read in eighty, of which it takes some for its margins. */
const exampleColumns = 66;

/** The directories of botctl's files on Linux. */
const paths = { config: '~/.config/botctl', cache: '~/.cache/botctl', data: '~/.local/share/botctl' };

/** The commands that most people come for, in the order in which they need them. */
const firstSteps: readonly Example[] = [
  { line: 'botctl tour', does: 'See the whole job done on a sandbox' },
  { line: 'botctl login --base-url https://api.example.com', does: 'Store an API key of your own service' },
  { line: 'botctl teams list', does: 'List the teams' },
  { line: 'botctl device connect Reception --wait', does: 'Pair a device' },
];

/**
 * Returns the man page botctl(1), made from the command tree and the help topics: what `--help` shows of every
 * command, and what `botctl help` explains.
 */
export async function manPage(io: Io): Promise<string> {
  const examples = new Map((await allCommands()).map(({ path, command }) => [path, command.examples]));
  const commands: string[] = [];
  for (const { name, load } of branches) {
    for (const command of await load()) {
      const words = command.name === name ? [name] : [name, ...command.name.split(' ')];
      // Only the command that a line names has its options.
      const program = await createProgram(readArgv(words), io, new Redactor());
      const node = nodeOf(program, words);
      if (node) commands.push(commandPart(node, examples.get(wordsOf(node)) ?? []));
    }
  }
  return [
    title('botctl', 1, `botctl ${version}`),
    layout,
    heading('Name'),
    'botctl \\- the command line for partners of a conversational\\-bot platform',
    heading('Synopsis'),
    `${bold('botctl')} <command> [options]`,
    '.br',
    `${bold('botctl help')} [<command>|<topic>]`,
    heading('Description'),
    paragraphs(
      'botctl manages teams, bots, documents, API keys and messaging devices of a conversational-bot platform, pairs ' +
        'devices by a QR code in the terminal, and holds the whole service as a sandbox that runs on this machine.\n\n' +
        'Wherever an id goes, an exact name goes too, letter for letter.',
    ),
    heading('Commands'),
    ...commands,
    section('Global options', options),
    section('Output', output),
    section('Exit status', exitCodes),
    section('Environment', environment),
    section('Files', files),
    heading('Examples'),
    ...firstSteps.map(examplePart),
    '',
  ].join('\n');
}

/** Returns the command that the words name, or undefined if there is none. */
function nodeOf(program: Commander, words: readonly string[]): Commander | undefined {
  return words.reduce<Commander | undefined>(
    (node, word) => node?.commands.find((child) => child.name() === word),
    program,
  );
}

/** `teams list` */
function wordsOf(node: Commander): string {
  return node.parent?.parent ? `${wordsOf(node.parent)} ${node.name()}` : node.name();
}

function commandPart(node: Commander, examples: readonly Example[]): string {
  const helper = helperFor(80);
  const given = helper.visibleArguments(node).map((one) => item(helper.argumentTerm(one), one.description));
  const options = helper
    .visibleOptions(node)
    .filter(({ long }) => long !== '--help')
    .map((one) => item(helper.optionTerm(one), one.description));
  return [
    subheading(helper.commandUsage(node)),
    paragraphs(helper.commandDescription(node)),
    ...given,
    ...options,
    ...examples.map(examplePart),
  ].join('\n');
}

function examplePart({ line, does }: Example): string {
  return `${paragraphs(`${does}:`)}\n${verbatim(foldCommand(line, exampleColumns, '  '))}`;
}

/** A help topic as a section. Its title says what the section's own name says shorter. */
function section(name: string, topic: string): string {
  const written = readPage(topic, paths).parts.flatMap((part) => {
    if (typeof part === 'string') return [paragraphs(part)];
    if ('shell' in part) return [verbatim(foldShell(part.shell, exampleColumns))];
    const rows = part.rows.map(([term, meaning]) => item(term.trim(), meaning));
    return part.heading === undefined ? rows : [subheading(part.heading), ...rows];
  });
  return [heading(name), ...written].join('\n');
}
