import type { Command as Commander, Help, Option } from 'commander';
import { ownMember } from '../../lib/json-object.ts';
import type { Example } from '../command.ts';
import { groupedOptions } from './option-groups.ts';
import { foldCommand, formatItem, helperFor, minColumns } from './text.ts';

/** The options in `botctl --help`; `botctl help output` lists all of them. */
const mainOptions: ReadonlySet<string> = new Set(['--output', '--profile', '--yes', '--help']);

/** The last line of every command's help. */
const globalOptionsLine = 'Options of every command: botctl help output';

/** The topics about a noun whose names differ from the noun. */
const otherTopics: Readonly<Record<string, string>> = {
  device: 'pairing',
  docs: 'documents',
  keys: 'security',
  profiles: 'security',
};

/** The settings of commander for the help of botctl, of a noun and of a command. */
export const helpLayout = {
  minWidthToWrap: minColumns,
  showGlobalOptions: false,
  formatItem,
  formatHelp(node: Commander, helper: Help): string {
    return node.parent ? formatNode(node, helper) : formatTop(node, helper);
  },
};

/** Returns the help of a noun or a command: its usage, its description, and its parts. */
function formatNode(node: Commander, helper: Help): string {
  const isNoun = node.commands.length > 0;
  const width = helper.helpWidth ?? 80;
  // A noun may be a command itself.
  const isCommand = !isNoun || node.options.length > 0;
  const usage = isNoun
    ? `${pathOf(node)} ${isCommand ? '[command] [options]' : '<command>'}`
    : helper.commandUsage(node);
  const blocks = [
    helper.boxWrap(`Usage: ${usage}`, width),
    helper.boxWrap(helper.commandDescription(node), width),
  ];
  const rows = isNoun ? commandRows(node.commands) : [];
  const given = helper
    .visibleArguments(node)
    .map((one) => [helper.argumentTerm(one), one.description] as const);
  const options = [...groupedOptions(isCommand ? helper.visibleOptions(node) : [])].map(
    ([heading, group]) => [heading, group.map((one) => optionRow(one, helper))] as const,
  );
  const topic = node.parent?.parent ? undefined : ownMember(otherTopics, node.name());
  // The help of a command ends with its examples and the same line.
  const pointers = isCommand
    ? []
    : [...(topic ? [`More about ${node.name()}: botctl help ${topic}`] : []), globalOptionsLine];
  const widest = widthOf([...rows, ...given, ...options.flatMap(([, group]) => group)]);
  blocks.push(
    ...section('Commands', rows, widest, helper),
    ...section('Arguments', given, widest, helper),
    ...options.flatMap(([heading, group]) => section(heading, group, widest, helper)),
    ...(pointers.length > 0 ? [pointers.map((line) => helper.boxWrap(line, width)).join('\n')] : []),
  );
  return `${blocks.join('\n\n')}\n`;
}

/** Returns the help of botctl on one screen: the commands by headings, the main options, and further help. */
function formatTop(program: Commander, helper: Help): string {
  const headings = [...new Set(program.commands.map((command) => command.helpGroup()))].filter(Boolean);
  const options = helper
    .visibleOptions(program)
    .filter(({ long }) => mainOptions.has(long ?? ''))
    .map((option) => optionRow(option, helper));
  const widest = widthOf([...commandRows(program.commands), ...options]);
  const groups = headings.flatMap((heading) => {
    const members = program.commands.filter((command) => command.helpGroup() === heading);
    return section(heading.replace(/:$/, ''), commandRows(members), widest, helper);
  });
  const width = helper.helpWidth ?? 80;
  return [
    `Usage: botctl <command> [options]\n\n${helper.boxWrap(program.description(), width)}`,
    ...groups,
    ...section('Options', options, widest, helper),
    `${helper.boxWrap('New here? botctl tour runs a demo. Your own service: botctl login', width)}\n` +
      `${helper.boxWrap('More: botctl help <command>, botctl help <topic>; botctl help lists the topics', width)}\n`,
  ].join('\n\n');
}

type Row = readonly [term: string, meaning: string];

function section(heading: string, rows: readonly Row[], widest: number, helper: Help): readonly string[] {
  if (rows.length === 0) return [];
  const lines = rows.map(([term, meaning]) => helper.formatItem(term, widest, meaning, helper));
  return [`${heading}:\n${lines.join('\n')}`];
}

function widthOf(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([term]) => term.length));
}

/** Returns a row for each command with its arguments; its own help has the options. */
function commandRows(commands: readonly Commander[]): readonly Row[] {
  return commands
    .filter((command) => command.name() !== 'help')
    .map((command) => {
      const given = command.commands.length > 0 ? '' : command.usage().replace(/^\[options\] ?/, '');
      return [`${command.name()} ${given}`.trim(), command.summary() || command.description()];
    });
}

function optionRow(option: Option, helper: Help): Row {
  const { argChoices, description } = option;
  const meaning = argChoices ? `${argChoices.join(', ')}` : description;
  return [helper.optionTerm(option), meaning];
}

function pathOf(node: Commander): string {
  return node.parent ? `${pathOf(node.parent)} ${node.name()}` : node.name();
}

/** Returns the lines below the options of a command: its examples, each of which can be copied whole. */
export function examplesText(examples: readonly Example[], columns: number): string {
  const helper = helperFor(columns);
  const lines = examples.map(
    ({ line, does }) =>
      `  ${helper.boxWrap(does, columns - 2).replaceAll('\n', '\n  ')}\n    $ ${foldCommand(line, columns - 6, '  ').replaceAll('\n', '\n      ')}`,
  );
  return `\nExamples:\n${lines.join('\n')}\n\n${helper.boxWrap(globalOptionsLine, columns)}`;
}
