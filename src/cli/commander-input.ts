import {
  type Command as Commander,
  Argument as CommanderArgument,
  Option as CommanderOption,
} from 'commander';
import { command as commandLine } from '../lib/text/remark.ts';
import { type Allowance, allowances } from './allow.ts';
import { argumentLabel, type RawInput } from './check-input.ts';
import type { Command } from './command.ts';
import { type Option, oppositeOf } from './options.ts';

/** Declares a command's arguments to commander. */
export function addArguments(node: Commander, command: Command): void {
  const usage = ['[options]'];
  for (const [name, { summary, optional, variadic }] of Object.entries(command.arguments)) {
    const words = argumentLabel(name).slice(1, -1) + (variadic ? '...' : '');
    // Optional for commander, so that a person can be asked for the one that is missing.
    node.addArgument(new CommanderArgument(`[${words}]`, summary));
    usage.push(optional ? `[${words}]` : `<${words}>`);
  }
  for (const option of positionalOptions(command)) {
    const word = longName(option);
    node.addArgument(new CommanderArgument(`[${word}]`, describe(option)));
    usage.push(option.required ? `<${word}>` : `[${word}]`);
  }
  node.usage(usage.join(' '));
}

function positionalOptions({ options }: Command): readonly Option<unknown>[] {
  return Object.values(options).filter(({ isPositional }) => isPositional);
}

function longName({ flags }: Option<unknown>): string {
  return new CommanderOption(flags).name();
}

/** Declares a command's options to commander. */
export function addOptions(node: Commander, command: Command): void {
  for (const option of Object.values(command.options)) {
    const [declared, negative] = commanderOptions(option);
    node.addOption(declared);
    if (negative) {
      node.addOption(negative);
      watch(node, declared.name());
    }
  }
  if (command.effect === 'destroys') {
    const several = Object.values(command.arguments).some(({ each }) => each)
      ? '; of several by their number'
      : '';
    node.option('--confirm <name>', `confirm by the name or id of what is destroyed${several}`);
  }
  if (command.asksName) node.option('--confirm <name>', 'confirm by the name that is asked for');
  // For help alone: the option of that name which every command takes is the one that is read.
  if (command.heeds) node.option('--allow <words>', heededWords(command.heeds));
}

function heededWords(words: readonly Allowance[]): string {
  return words.map((word) => `${word}: ${allowances[word]}`).join('; ');
}

/** The options and `--no-` forms that were typed, by their names: commander itself keeps the last one only. */
const typedNames = new WeakMap<Commander, Set<string>>();

function watch(node: Commander, name: string): void {
  const typed = typedNames.get(node) ?? new Set();
  typedNames.set(node, typed);
  for (const one of [name, `no-${name}`]) node.on(`option:${one}`, () => void typed.add(one));
}

function contradictions(node: Commander): readonly string[] {
  const typed = typedNames.get(node) ?? new Set();
  return [...typed]
    .filter((name) => typed.has(`no-${name}`))
    .map((name) => `--${name} and --no-${name} contradict each other.`);
}

function commanderOptions(option: Option<unknown>): readonly [CommanderOption, CommanderOption?] {
  const meaning = option.isPositional ? `the same as <${longName(option)}>` : describe(option);
  const declared = new CommanderOption(option.flags, meaning).hideHelp(option.hidden === true);
  if (option.kind === 'many') {
    declared.argParser<readonly string[]>((value, earlier) => [...(earlier ?? []), value]);
  }
  const opposite = oppositeOf(option);
  return opposite ? [declared, new CommanderOption(`--no-${declared.name()}`, opposite)] : [declared];
}

function describe({ summary, required, fallback, choices, kind }: Option<unknown>): string {
  const notes = [
    required && 'required',
    choices && `one of ${choices.join(', ')}`,
    kind === 'many' && 'may be given several times',
    kind === 'value' && fallback !== undefined && `default ${String(fallback)}`,
  ].filter(Boolean);
  return notes.length > 0 ? `${summary} (${notes.join('; ')})` : summary;
}

/** Takes what was typed out of commander. */
export function rawInput(node: Commander, command: Command): RawInput {
  const typed: Record<string, unknown> = node.opts();
  const given: Record<string, RawInput['options'][string]> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const value = typed[new CommanderOption(option.flags).attributeName()];
    if (typeof value === 'string' || typeof value === 'boolean') given[name] = value;
    else if (Array.isArray(value)) given[name] = value.map(String);
  }
  const positional: Record<string, string | readonly string[] | undefined> = {};
  Object.keys(command.arguments).forEach((name, index) => {
    const value: unknown = node.processedArgs[index];
    if (typeof value === 'string') positional[name] = value;
    else if (Array.isArray(value)) positional[name] = value.map(String);
  });
  const givenTwice: string[] = [];
  for (const [index, [name, option]] of Object.entries(command.options)
    .filter(([, { isPositional }]) => isPositional)
    .entries()) {
    const word: unknown = node.processedArgs[Object.keys(command.arguments).length + index];
    if (typeof word !== 'string') continue;
    const value = given[name] ?? word;
    if (value !== word)
      givenTwice.push(
        `<${longName(option)}> is given twice: "${word}", and --${longName(option)} "${value}".`,
      );
    given[name] = value;
  }
  return {
    arguments: positional,
    options: given,
    contradictions: [...contradictions(node), ...givenTwice],
    confirm: typeof typed.confirm === 'string' ? typed.confirm : undefined,
    help: commandLine(...pathOf(node).slice(1), '--help'),
  };
}

/** The words that name a command: `['botctl', 'teams', 'list']`. */
export function pathOf(node: Commander): readonly string[] {
  return [...(node.parent ? pathOf(node.parent) : []), node.name()];
}
