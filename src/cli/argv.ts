import { Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import type { Io } from '../lib/io.ts';
import { ownMember } from '../lib/json-object.ts';
import type { RawInput } from './check-input.ts';
import type { Branch, Command } from './command.ts';
import {
  globalDeclarations,
  infoOptions,
  inputOf,
  optionsFor,
  positionalOptions,
} from './commander-input.ts';
import { restFlag } from './options.ts';
import { resolveSynonym } from './usage/did-you-mean.ts';

/** A command line whose global options have been read. The rest may be wrong. */
export interface Argv {
  /** The typed words, up to the option that takes the rest of the command line. */
  readonly args: readonly string[];
  /** The words after that option, which belong to another command; undefined if the option was not typed. */
  readonly rest: readonly string[] | undefined;
  /** The words up to the first option that is not global, without a leading `help`. */
  readonly operands: readonly string[];
  /** The first option that is not global and everything after it, without global options. */
  readonly others: readonly string[];
  /** The values of its global options, by their names in commander. */
  readonly values: Readonly<Record<string, unknown>>;
  /** True if the command line begins with the word `help`. */
  readonly beginsWithHelp: boolean;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly caFile: string | undefined;
  readonly insecureHttp: boolean;
  /** The value of --database, if the command has that option. */
  readonly database: string | undefined;
  /** True if failures are printed as JSON: by --error-format, or because the result is JSON. */
  readonly jsonErrors: boolean;
  readonly debug: boolean;
  readonly color: boolean;
}

/**
 * Reads the global options of a command line. If an option is repeated, the last one wins.
 * @param env contains the default output format
 */
export function readArgv(typed: readonly string[], env: Io['env'] = {}): Argv {
  const { args, rest } = withoutRest(typed);
  const { values, operands, unknown } = parse(args, optionsOf());
  const text = (name: string): string | undefined => {
    const value = ownMember(values, name);
    return typeof value === 'string' ? value : undefined;
  };
  const beginsWithHelp = operands[0] === 'help';
  return {
    args,
    rest,
    operands: beginsWithHelp ? operands.slice(1) : operands,
    others: unknown,
    values,
    beginsWithHelp,
    profile: text('profile'),
    baseUrl: text('baseUrl'),
    caFile: text('caFile'),
    insecureHttp: values.insecureHttp === true,
    database: text('database'),
    jsonErrors: isJson(text('errorFormat'), text('output') ?? env.BOTCTL_OUTPUT),
    debug: values.debug === true,
    color: values.color !== false,
  };
}

/** Splits a command line at the option that takes the rest of it. After `--` no word is an option. */
function withoutRest(typed: readonly string[]): Pick<Argv, 'args' | 'rest'> {
  const at = beforeDashes(typed).findIndex((word) => word === restFlag || word.startsWith(`${restFlag}=`));
  if (at < 0) return { args: typed, rest: undefined };
  const joined = typed[at]?.slice(restFlag.length + 1);
  return { args: typed.slice(0, at), rest: [...(joined ? [joined] : []), ...typed.slice(at + 1)] };
}

/**
 * Returns the global options and those of the command. Without a command, --database is included, because suggested
 * commands repeat it.
 */
function optionsOf(command?: Command): readonly CommanderOption[] {
  const own = command ? optionsFor(command) : [new CommanderOption('--database <url>')];
  return [...globalDeclarations(), ...infoOptions(), ...own];
}

/** All names of the JSON formats. */
const jsonFormats: ReadonlySet<string | undefined> = new Set(['json', 'ndjson', 'jsonl', 'jsonlines']);

function isJson(errorFormat: string | undefined, output: string | undefined): boolean {
  return errorFormat === undefined ? jsonFormats.has(output) : errorFormat === 'json';
}

/** The first error in a command line. */
export type Problem =
  | { readonly kind: 'noCommand' }
  | { readonly kind: 'unknownCommand'; readonly word: string }
  /** `flag` is without a value joined to it, since that may be a secret. */
  | { readonly kind: 'unknownOption'; readonly flag: string }
  /** `found` is the option that was found instead of the value. */
  | { readonly kind: 'missingValue'; readonly option: CommanderOption; readonly found?: string }
  | { readonly kind: 'extraWord'; readonly word: string };

/** A command line, parsed with the options of its command. */
export interface Line extends Pick<ParsedOptions, 'values' | 'typed' | 'missingValue'> {
  readonly argv: Argv;
  /** The noun; undefined if the command line has none, and `commands` is then empty. */
  readonly branch: Branch | undefined;
  readonly commands: readonly Command[];
  /** The words of the command, group or noun, with synonyms replaced. */
  readonly path: readonly string[];
  /** The words after `path`, up to the first unknown option. */
  readonly words: readonly string[];
  readonly command: Command | undefined;
  readonly input: RawInput | undefined;
  readonly problem: Problem | undefined;
}

/** Loads the commands of the noun in a command line, and parses the line with the options of its command. */
export async function readLine(argv: Argv, branches: readonly Branch[]): Promise<Line> {
  const { operands } = argv;
  const noun = resolveSynonym(
    operands[0],
    branches.map(({ name }) => name),
  );
  const branch = branches.find(({ name }) => name === noun);
  const commands = (await branch?.load()) ?? [];
  const found = branch ? commandNamed(operands, branch, commands) : { path: [] };
  const { path, command } = redirectToWatch(found, argv.args, commands);
  const watch = command === found.command ? [] : [new CommanderOption('--watch')];
  const parsed = parse(argv.args, [...optionsOf(command), ...watch]);
  const words = parsed.operands.slice(path.length + (argv.beginsWithHelp ? 1 : 0));
  const line = { argv, branch, commands, path, words, command, ...parsed };
  if (!command) return { ...line, input: undefined, problem: problemOfWords(words[0], parsed.unknown[0]) };
  const typed = parsed.typed.map(({ option }) => option.name());
  const input = inputOf(command, path, { words, values: parsed.values, typed, rest: argv.rest });
  return { ...line, input, problem: problemOf(command, words, parsed, argv) };
}

/** A noun, group or command, with the words that name it. */
interface NamedCommand {
  readonly path: readonly string[];
  readonly command?: Command | undefined;
}

/** `device status --watch`, or with `--until`, is `device watch`. */
function redirectToWatch(
  found: NamedCommand,
  args: readonly string[],
  commands: readonly Command[],
): NamedCommand {
  const isWatch = beforeDashes(args).some((word) => /^--(watch|until(=.*)?)$/s.test(word));
  const command = commands.find(({ name }) => name === 'watch');
  if (!isWatch || !command || found.command?.name !== 'status') return found;
  return { path: [...found.path.slice(0, -1), command.name], command };
}

/** Returns the words of a command line up to `--`, after which none is an option. */
function beforeDashes(args: readonly string[]): readonly string[] {
  return args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
}

function problemOfWords(word: string | undefined, other: string | undefined): Problem {
  if (word !== undefined) return { kind: 'unknownCommand', word };
  return other === undefined ? { kind: 'noCommand' } : { kind: 'unknownOption', flag: flagIn(other) };
}

function problemOf(
  command: Command,
  words: readonly string[],
  { unknown: [other], missingValue, typed }: ParsedOptions,
  { args, rest }: Argv,
): Problem | undefined {
  if (other !== undefined) return { kind: 'unknownOption', flag: flagIn(other) };
  if (missingValue) return { kind: 'missingValue', option: missingValue, ...(rest && { found: restFlag }) };
  const flags = optionsOf(command).flatMap(({ long, short }) => [long, short]);
  for (const { option, value } of typed) {
    if (value === undefined) continue;
    const found = flagIn(value);
    const joined = [`${option.long}=${value}`, `${option.short}${value}`];
    if (flags.includes(found) && !args.some((arg) => joined.includes(arg)))
      return { kind: 'missingValue', option, found };
  }
  const taken = Object.values(command.arguments);
  const most = taken.length + positionalOptions(command).length;
  const word = taken.at(-1)?.variadic ? undefined : words[most];
  if (word !== undefined) return { kind: 'extraWord', word };
  if (rest === undefined) return undefined;
  const option = optionsFor(command).find(({ long }) => long === restFlag);
  if (!option) return { kind: 'unknownOption', flag: restFlag };
  return rest.length === 0 ? { kind: 'missingValue', option } : undefined;
}

function flagIn(word: string): string {
  return word.replace(/=.*/s, '');
}

/** Returns the command that the words name. Accepts synonyms. */
function commandNamed(
  words: readonly string[],
  { name }: Branch,
  commands: readonly Command[],
): NamedCommand {
  const alone = commands.find((command) => command.name === name);
  const isVerb = commands.some((command) => command !== alone && command.name === words[1]);
  if (alone && !isVerb) return { path: [name], command: alone };
  const path: string[] = [];
  let left = commands.map((command) => ({ command, verbs: command.name.split(' ') }));
  for (const [at, word] of words.slice(1).entries()) {
    const next = resolveSynonym(
      word,
      left.flatMap(({ verbs }) => verbs[at] ?? []),
    );
    if (next === undefined) break;
    path.push(next);
    left = left.filter(({ verbs }) => verbs[at] === next);
    const found = left.find(({ verbs }) => verbs.length === path.length);
    if (found) return { path: [name, ...path], command: found.command };
  }
  return { path: [name, ...path] };
}

/** Returns the command with exactly these words, such as `teams list`. Loads the commands of its noun. */
export async function findCommand(words: string, branches: readonly Branch[]): Promise<Command | undefined> {
  const [noun = '', ...verbs] = words.split(' ');
  const commands = await branches.find(({ name }) => name === noun)?.load();
  return commands?.find(({ name }) => name === (verbs.join(' ') || noun));
}

/** Returns every command with its words, such as `teams list`. Loads all commands. */
export async function commandsOf(
  branches: readonly Branch[],
): Promise<readonly { readonly path: string; readonly command: Command }[]> {
  const loaded = branches.map(async ({ name, load }) =>
    (await load()).map((command) => ({
      path: command.name === name ? name : `${name} ${command.name}`,
      command,
    })),
  );
  return (await Promise.all(loaded)).flat();
}

/** The result of parsing a command line with commander. */
interface ParsedOptions {
  /** The values of options, by their names in commander. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The words up to the first unknown option. */
  readonly operands: readonly string[];
  /** The first unknown option, and all words and unknown options after it. */
  readonly unknown: readonly string[];
  readonly typed: readonly { readonly option: CommanderOption; readonly value: string | undefined }[];
  /** The last option, if its value is missing. */
  readonly missingValue?: CommanderOption | undefined;
}

/** The short forms of `infoOptions`. */
const shortInfoOptions: Readonly<Record<string, string>> = { '-h': '--help', '-v': '--version' };

function parse(args: readonly string[], options: readonly CommanderOption[]): ParsedOptions {
  const end = beforeDashes(args).length;
  // If commander had these short forms, it would also parse a text such as "-hello" as one.
  const words = args.map((word, at) => (at < end ? ownMember(shortInfoOptions, word) : undefined) ?? word);
  const parser = new Commander().exitOverride().configureOutput({ outputError: () => undefined });
  const typed: ParsedOptions['typed'][number][] = [];
  for (const option of options) {
    parser.addOption(option);
    parser.on(`option:${option.name()}`, (value?: string) => void typed.push({ option, value }));
  }
  try {
    const { operands, unknown } = parser.parseOptions(words);
    return { values: parser.opts(), operands, unknown, typed };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The only error that commander reports here is a last option without its value.
    const last = args.at(-1) ?? '';
    const isLast = ({ long, short }: CommanderOption): boolean =>
      last === long || (short !== undefined && /^-[^-]/.test(last) && last.endsWith(short.slice(1)));
    return { ...parse(args.slice(0, -1), options), missingValue: options.find(isLast) };
  }
}
