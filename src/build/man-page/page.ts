import type { Command as Commander } from 'commander';
import { Redactor } from '../../client/redact.ts';
import type { Example } from '../../command.ts';
import { environmentPage } from '../../help/environment.ts';
import { exitCodesPage } from '../../help/exit-codes.ts';
import { filesPageOf } from '../../help/files.ts';
import { optionsPage } from '../../help/options.ts';
import { outputPage } from '../../help/output.ts';
import { foldCommand, type HelpPage, helperFor } from '../../help/text.ts';
import type { Io } from '../../io.ts';
import { allCommands, branches, createProgram } from '../../program.ts';
import { version } from '../../version.ts';
import { bold, heading, item, layout, paragraphs, subheading, title, verbatim } from './roff.ts';

/** Columns for a line of a shell; a man page is read in eighty, of which it takes some for its margins. */
const exampleColumns = 66;

/** Where files are kept on Linux. */
const paths = { config: '~/.config/botctl', cache: '~/.cache/botctl', data: '~/.local/share/botctl' };

/** What most people come for, in the order in which they need it. */
const firstSteps: readonly Example[] = [
  { line: 'botctl tour', does: 'See the whole job done on a sandbox' },
  { line: 'botctl login --base-url https://api.example.com', does: 'Store an API key of your own service' },
  { line: 'botctl teams list', does: 'List the teams' },
  { line: 'botctl device connect Reception --wait', does: 'Pair a device' },
];

/**
 * The man page of botctl, botctl(1), from the command tree and the help topics: what `--help` shows of every
 * command, and what `botctl help` explains.
 */
export async function manPage(io: Io): Promise<string> {
  const examples = new Map((await allCommands()).map(({ path, command }) => [path, command.examples]));
  const commands: string[] = [];
  for (const { name, load } of branches) {
    // Its commands have their options where they stand on the line.
    const verbs = (await load()).flatMap((command) => command.name.split(' '));
    const program = await createProgram([name, ...verbs], io, new Redactor());
    const node = program.commands.find((child) => child.name() === name);
    if (node)
      commands.push(...leaves(node).map((leaf) => commandPart(leaf, examples.get(wordsOf(leaf)) ?? [])));
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
        'Wherever an id goes, an exact name goes too.',
    ),
    heading('Commands'),
    ...commands,
    section('Global options', optionsPage),
    section('Output', outputPage),
    section('Exit status', exitCodesPage),
    section('Environment', environmentPage),
    section('Files', filesPageOf(paths)),
    heading('Examples'),
    ...firstSteps.map(examplePart),
    '',
  ].join('\n');
}

/** The commands below a noun, or the command itself. */
function leaves(node: Commander): readonly Commander[] {
  return node.commands.length === 0 ? [node] : node.commands.flatMap(leaves);
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
function section(name: string, { parts }: HelpPage): string {
  const written = parts.flatMap((part) => {
    if (typeof part === 'string') return [paragraphs(part)];
    const rows = part.rows.map(([term, meaning]) => item(term.trim(), meaning));
    return part.heading === undefined ? rows : [subheading(part.heading), ...rows];
  });
  return [heading(name), ...written].join('\n');
}
