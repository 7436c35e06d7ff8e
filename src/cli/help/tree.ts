import { Command as Commander } from 'commander';
import type { Output } from '../../lib/io.ts';
import { ownMember } from '../../lib/json-object.ts';
import type { Line } from '../argv.ts';
import type { Branch, Command } from '../command.ts';
import { addArguments, globalDeclarations, optionsFor, specializedOptions } from '../commander-input.ts';
import { examplesText, helpLayout } from './layout.ts';
import { helpColumns } from './text.ts';

/** Returns the help of the command, group or noun in a command line, or that of botctl. */
export function helpOf(
  { branch, commands, path, command }: Line,
  branches: readonly Branch[],
  stream: Pick<Output, 'columns'>,
): string {
  const columns = helpColumns(stream);
  const program = new Commander('botctl')
    .description('The command line for partners of a conversational-bot platform.')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp(helpLayout)
    // Help has no colours. To detect them, Node would open a stream that may not be needed.
    .configureOutput({ getOutHelpWidth: () => columns, getOutHasColors: () => false });
  for (const option of globalDeclarations()) program.addOption(option);
  for (const one of branch ? [branch] : branches) addBranch(program, one, commands);
  const node = path.reduce(
    (above, name) => above.commands.find((child) => child.name() === name) ?? above,
    program,
  );
  if (!command) return node.helpInformation();
  for (const option of [...optionsFor(command), ...specializedOptions(command)]) node.addOption(option);
  return `${node.helpInformation()}${examplesText(command.examples, columns)}\n`;
}

function addBranch(program: Commander, branch: Branch, commands: readonly Command[]): void {
  const node = program.command(branch.name).helpGroup(`${branch.heading}:`);
  node.summary(branch.summary).description(branch.summary);
  for (const command of commands) {
    const path = command.name === branch.name ? [] : command.name.split(' ');
    const leaf = path.reduce((above, name) => nodeNamed(above, name, branch), node);
    leaf.summary(command.summary).description(describe(command));
    addArguments(leaf, command);
  }
}

function nodeNamed(parent: Commander, name: string, { groups = {} }: Branch): Commander {
  const found = parent.commands.find((candidate) => candidate.name() === name);
  return found ?? parent.command(name).description(ownMember(groups, name) ?? '');
}

function describe(command: Command): string {
  const summary = `${command.summary}.`;
  return command.description ? `${summary}\n\n${command.description}` : summary;
}
