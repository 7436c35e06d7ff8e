import {
  type Command as Commander,
  Argument as CommanderArgument,
  Option as CommanderOption,
} from 'commander';
import { command as commandLine } from '../lib/text/remark.ts';
import { allowances } from './allow.ts';
import { argumentLabel, type RawInput } from './check-input.ts';
import type { Command } from './command.ts';
import { globalOptions } from './global-options.ts';
import { longFlag, type Option } from './options.ts';

/** A positional word of a command. */
interface Operand {
  readonly name: string;
  readonly summary: string;
  readonly isOptional: boolean;
}

function operandsOf(command: Command): readonly Operand[] {
  return [
    ...Object.entries(command.arguments).map(([name, { summary, optional, variadic }]) => ({
      name: argumentLabel(name).slice(1, -1) + (variadic ? '...' : ''),
      summary,
      isOptional: optional,
    })),
    ...positionalOptions(command).map((option) => ({
      name: longName(option),
      summary: describeOption(option),
      isOptional: !option.required,
    })),
  ];
}

/** Returns the positional words of a command for its usage: `<team> [name]`. */
export function usageOf(command: Command): string {
  return operandsOf(command)
    .map(({ name, isOptional }) => (isOptional ? `[${name}]` : `<${name}>`))
    .join(' ');
}

/** Declares the positional words of a command to commander. */
export function addArguments(node: Commander, command: Command): void {
  // Optional for commander, so that botctl can ask for a missing one.
  for (const { name, summary } of operandsOf(command))
    node.addArgument(new CommanderArgument(`[${name}]`, summary));
  node.usage(`[options] ${usageOf(command)}`.trim());
}

/** Returns the options whose value may also be given by position, after the arguments. */
export function positionalOptions({ options }: Command): readonly Option<unknown>[] {
  return Object.values(options).filter(({ isPositional }) => isPositional);
}

function longName(option: Option<unknown>): string {
  return longFlag(option).slice(2);
}

/** Returns the global options as commander options. */
export function globalDeclarations(): readonly CommanderOption[] {
  return globalOptions.map(({ flags, summary, choices, isRepeatable }) => {
    const option = new CommanderOption(flags, summary);
    if (isRepeatable) option.argParser<readonly string[]>((value, earlier = []) => [...earlier, value]);
    // Help shows the choices; the value is checked where it is read.
    return choices ? option.choices(choices).argParser((value) => value) : option;
  });
}

/** Returns the options that print information instead of running a command; `argv.ts` reads their short forms. */
export function infoOptions(): readonly CommanderOption[] {
  return [new CommanderOption('--version'), new CommanderOption('--help')];
}

/** Returns the options of a command as commander options. */
export function optionsFor(command: Command): readonly CommanderOption[] {
  return Object.values(command.options).flatMap(commanderOptions);
}

/** Returns the global options with a meaning specific to the command, for its help only. */
export function specializedOptions({ allow, effect }: Command): readonly CommanderOption[] {
  const words = allow?.map((word) => `${word}: ${allowances[word]}`);
  return [
    ...(effect === 'destroys'
      ? [new CommanderOption('--confirm <name>', 'confirm with the name or id of the object; repeatable')]
      : []),
    ...(words
      ? [
          new CommanderOption(
            '--allow <words>',
            words.join('; ') + (words.length > 1 ? ' (several: a,b)' : ''),
          ),
        ]
      : []),
  ];
}

function commanderOptions(option: Option<unknown>): readonly CommanderOption[] {
  const meaning = option.isPositional ? `same as <${longName(option)}>` : describeOption(option);
  const declared = new CommanderOption(option.flags, meaning).hideHelp(option.hidden === true);
  if (option.kind === 'many') {
    declared.argParser<readonly string[]>((value, earlier) => [...(earlier ?? []), value]);
  }
  const { off } = option;
  return off === undefined ? [declared] : [declared, new CommanderOption(`--no-${declared.name()}`, off)];
}

function describeOption({ summary, required, fallback, choices, kind }: Option<unknown>): string {
  const notes = [
    required && 'required',
    choices && (choices.length > 1 ? `one of ${choices.join(', ')}` : choices.join()),
    kind === 'many' && 'may be given several times',
    kind === 'rest' && 'the last option: takes the rest of the line',
    kind === 'value' && fallback !== undefined && `default ${String(fallback)}`,
  ].filter(Boolean);
  return notes.length > 0 ? `${summary} (${notes.join('; ')})` : summary;
}

/** The words and options typed after the name of a command. */
interface TypedInput {
  readonly words: readonly string[];
  /** The values of options, by their names in commander. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The names of the options that were typed. */
  readonly typed: readonly string[];
  /** The words after the option that takes the rest of the command line; undefined if it was not typed. */
  readonly rest: readonly string[] | undefined;
}

/** Returns the typed input by the names in the command's declaration. */
export function inputOf(
  command: Command,
  path: readonly string[],
  { words, values, typed, rest }: TypedInput,
): RawInput {
  const options: Record<string, RawInput['options'][string]> = {};
  for (const [name, { flags, kind }] of Object.entries(command.options)) {
    if (kind === 'rest' && rest !== undefined) options[name] = rest;
    const value = values[new CommanderOption(flags).attributeName()];
    if (typeof value === 'string' || typeof value === 'boolean') options[name] = value;
    else if (Array.isArray(value)) options[name] = value.map(String);
  }
  const named = Object.entries(command.arguments).map(([name, { variadic }], at) => [
    name,
    variadic ? words.slice(at) : words[at],
  ]);
  const contradictions = typed
    .filter((name) => typed.includes(`no-${name}`))
    .map((name) => `--${name} and --no-${name} cannot be combined.`);
  const positional = Object.entries(command.options).filter(([, { isPositional }]) => isPositional);
  const byPosition = new Set<string>();
  for (const [at, [name, option]] of positional.entries()) {
    const word = words[named.length + at];
    if (word === undefined) continue;
    const value = options[name] ?? word;
    if (options[name] === undefined) byPosition.add(name);
    options[name] = value;
    const long = longName(option);
    if (value !== word) contradictions.push(`<${long}> is given twice: "${word}", and --${long} "${value}".`);
  }
  return {
    arguments: Object.fromEntries(named),
    options,
    positional: byPosition,
    contradictions: [...new Set(contradictions)],
    help: commandLine(...path, '--help'),
  };
}
