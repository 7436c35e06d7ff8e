import { isPasswordlessAddress } from '../database-address.ts';
import { shellWord } from './quote.ts';

/** A word of a command that the user has to fill in: `<team>`. */
export interface Placeholder {
  readonly placeholder: string;
}

/** Returns a placeholder as it is shown: `placeholder('<team>')`. */
export function placeholder(shown: string): Placeholder {
  return { placeholder: shown };
}

/**
 * The options of the current command that select the service and how to reach it. Suggested commands repeat them;
 * otherwise they would use another service, or none. Environment variables are still set when a suggestion is typed.
 */
export interface ServiceOptions {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly caFile?: string | undefined;
  readonly insecureHttp?: boolean;
  /** The database of campaigns and opt-outs, for commands about them. */
  readonly database?: string | undefined;
  /** True if the user can't be asked, so that suggested commands include the options that would be asked for. */
  readonly unattended?: boolean;
  /** Returns how these options apply to the commands of a noun; if not set, profile and address apply to all. */
  readonly scopeOf?: ((noun: string) => NounScope | undefined) | undefined;
}

/** How the options that select a service apply to the commands of a noun. */
export interface NounScope {
  /** True if none of them applies. */
  readonly withoutProfile?: boolean;
  /** True if it uses the profile's stored data, independent of the address. */
  readonly withoutAddress?: boolean;
  /** True if it works on the data in a database when one is given. */
  readonly inDatabase?: boolean;
  /** Options that it asks for, with their values. A command with one of them, except the address, needs no others. */
  readonly asksFor?: readonly (readonly [option: string, value: string])[];
}

/**
 * A botctl command as data, so that it can be quoted for a shell, completed with service options, and run by a script.
 */
export class CommandLine {
  /** The words after `botctl`, unquoted. */
  readonly words: readonly (string | Placeholder)[];
  /** Environment variables to run it with. */
  readonly variables: Readonly<Record<string, string>>;

  constructor(words: readonly (string | Placeholder)[], variables: Readonly<Record<string, string>> = {}) {
    this.words = words;
    this.variables = variables;
  }

  /** Returns the command as the user types it. */
  text(given?: ServiceOptions): string {
    const words = guardDashedNames(this.#with(given)).map((word) =>
      typeof word === 'string' ? shellWord(word) : word.placeholder,
    );
    const variables = Object.entries(this.variables).map(([name, value]) => `${name}=${shellWord(value)}`);
    return [...variables, 'botctl', ...words].join(' ');
  }

  /**
   * Returns the command as an argument list that can be run directly, or undefined if it has placeholders or variables.
   */
  argv(given?: ServiceOptions): readonly string[] | undefined {
    if (Object.keys(this.variables).length > 0) return undefined;
    const words = guardDashedNames(this.#with(given));
    const typed = words.filter((word) => typeof word === 'string');
    return typed.length === words.length ? ['botctl', ...typed] : undefined;
  }

  #with(given: ServiceOptions = {}): Words {
    const [noun] = this.words;
    const scope = typeof noun === 'string' ? (given.scopeOf?.(noun) ?? {}) : {};
    const words = this.#withDatabase(this.#withService(given, scope), given, scope);
    const asked = given.unattended && !words.includes('--help') ? (scope.asksFor ?? []) : [];
    const isWhole = asked.some(([option]) => option !== '--base-url' && words.includes(option));
    const missing = isWhole ? [] : asked.filter(([option]) => !words.includes(option));
    return [...words, ...missing.flatMap(([option, value]) => [option, placeholder(value)])];
  }

  #withDatabase(words: Words, { database }: ServiceOptions, { inDatabase }: NounScope): Words {
    const isNamed = words.includes('--help') || words.includes('--database');
    if (!database || isNamed || !inDatabase || !isPasswordlessAddress(database)) return words;
    return [...words, '--database', database];
  }

  /** Returns the words with the service options of the current command, if they apply. */
  #withService(
    { profile, baseUrl, caFile, insecureHttp }: ServiceOptions,
    { withoutProfile, withoutAddress }: NounScope,
  ): Words {
    const [noun] = this.words;
    if (typeof noun !== 'string' || noun.startsWith('-') || withoutProfile || this.words.includes('--help'))
      return this.words;
    const own = optionValue(this.words, '--profile');
    // An empty name selects no profile: it is the mistake in the command line.
    const named = profile && own === undefined ? ['--profile', profile] : [];
    const isElsewhere = optionValue(this.words, '--base-url') !== undefined || (own ?? profile) !== profile;
    if (isElsewhere || withoutAddress) return [...named, ...this.words];
    return [
      ...named,
      ...(baseUrl && !holdsPassword(baseUrl) ? ['--base-url', baseUrl] : []),
      ...(caFile ? ['--ca-file', caFile] : []),
      ...(insecureHttp ? ['--insecure-http'] : []),
      ...this.words,
    ];
  }
}

type Words = readonly (string | Placeholder)[];

/** Inserts `--` before names that would be parsed as options: `-rf`. */
function guardDashedNames(words: Words): Words {
  const first = words.findIndex((_, at) => isDashedName(words, at));
  if (first < 0) return words;
  const isOption = (at: number): boolean => {
    const word = words[at];
    return typeof word === 'string' && word.startsWith('-') && !isDashedName(words, at);
  };
  // Options must not follow the `--`.
  const rest = [...words.keys()].slice(first);
  const end = rest.find(isOption) ?? words.length;
  const options = rest.filter((at) => at >= end && !isDashedName(words, at));
  const names = rest.filter((at) => at < end || isDashedName(words, at));
  return [...[...words.keys()].slice(0, first), ...options, undefined, ...names].map((at) =>
    at === undefined ? '--' : (words[at] ?? ''),
  );
}

/** Returns true if a word is a name that looks like short options, and not the value of an option. */
function isDashedName(words: Words, at: number): boolean {
  const [before, word, after] = [words[at - 1], words[at], words[at + 1]];
  if (typeof word !== 'string' || !/^-[^-]/.test(word)) return false;
  // The only short option used in suggested commands.
  if (word === '-o' && typeof after === 'string' && !after.startsWith('-')) return false;
  return !(typeof before === 'string' && before.startsWith('--'));
}

function optionValue(words: Words, option: string): Words[number] | undefined {
  return words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
}

/** Returns true for an address that contains a password. It is refused and must not be shown. */
function holdsPassword(baseUrl: string): boolean {
  return baseUrl.includes('@');
}

/** Returns a command: `command('teams', 'get', name)`, `command('bots', 'get', placeholder('<bot>'))`. */
export function command(...words: readonly (string | Placeholder)[]): CommandLine {
  return new CommandLine(words);
}

/** A command of another program, to be copied verbatim. */
export interface ExternalCommand {
  text(): string;
}

/**
 * Returns a command of another program.
 * @param words unquoted
 * @param output the file for its output, if it isn't the terminal
 */
export function externalCommand(words: readonly string[], output?: string): ExternalCommand {
  const line = [...words.map(shellWord), ...(output === undefined ? [] : ['>', shellWord(output)])].join(' ');
  return { text: () => line };
}

type Part = string | CommandLine | ExternalCommand;

/** A message for the user that contains commands. */
export class Remark {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  toString(): string {
    return this.text();
  }

  text(given?: ServiceOptions): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : part.text(given))).join('');
  }
}

/** A remark, or a string if it contains no commands. */
export type RemarkText = string | Remark;

/** Builds a remark from a template: `remark`See what there is: ${command('teams', 'list')}``. */
export function remark(
  texts: TemplateStringsArray,
  ...values: readonly (Part | Remark | undefined)[]
): Remark {
  return new Remark(
    texts.flatMap((text, at) => [text, ...partsOf(values[at])].filter((part) => part !== '')),
  );
}

/** Joins remarks, or returns undefined if there are none. */
export function joinRemarks(
  remarks: readonly (RemarkText | undefined | false)[],
  separator = '\n',
): RemarkText | undefined {
  const given = remarks.filter((one): one is RemarkText => one !== undefined && one !== false && one !== '');
  if (given.length < 2) return given[0];
  return new Remark(given.flatMap((one, at) => (at === 0 ? partsOf(one) : [separator, ...partsOf(one)])));
}

/** Returns the text of a remark. */
export function remarkText(text: RemarkText, given?: ServiceOptions): string {
  return typeof text === 'string' ? text : text.text(given);
}

/** Returns the botctl commands in a remark, in order. */
export function commandsIn(text: RemarkText | undefined): readonly CommandLine[] {
  return partsOf(text).filter((part) => part instanceof CommandLine);
}

/**
 * Returns the texts of all commands in a remark, including those of other programs. They are not split when text is
 * wrapped.
 */
export function commandTextsIn(text: RemarkText | undefined, given?: ServiceOptions): readonly string[] {
  return partsOf(text).flatMap((part) => (typeof part === 'string' ? [] : [part.text(given)]));
}

function partsOf(value: RemarkText | Part | undefined): readonly Part[] {
  if (value === undefined) return [];
  return value instanceof Remark ? value.parts : [value];
}
