import { isPasswordlessAddress } from '../database-address.ts';
import { shellWord } from './quote.ts';

/** A word of a command line that is to be filled in: `<team>`. */
export interface Placeholder {
  readonly placeholder: string;
}

/** Returns a word to fill in, as it is shown: `placeholder('<team>')`. */
export function placeholder(shown: string): Placeholder {
  return { placeholder: shown };
}

/**
 * The options of the current line that choose the service and how it may be reached. The lines that it suggests repeat
 * them, or they would mean another one, or none; what the environment chose is still there when they are typed.
 */
export interface ServiceOptions {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly caFile?: string | undefined;
  readonly insecureHttp?: boolean;
  /** The database of campaigns and opt-outs, for lines about them. */
  readonly database?: string | undefined;
  /** Nobody can be asked here, so that a line says what it would ask for. */
  readonly unattended?: boolean;
  /** What these options mean to the commands of a noun; the profile and the address count for all if not set. */
  readonly scopeOf?: ((noun: string) => NounScope | undefined) | undefined;
}

/** What the options that choose a service mean to the commands of a noun. */
export interface NounScope {
  /** They mean nothing to it. */
  readonly withoutProfile?: boolean;
  /** It goes by what is stored under the profile, whatever the address is. */
  readonly withoutAddress?: boolean;
  /** It is about what is in a database if one is named. */
  readonly inDatabase?: boolean;
  /** Options that it asks for, with their values; a line with one of them, the address aside, has what it needs. */
  readonly asksFor?: readonly (readonly [option: string, value: string])[];
}

/** A command line of botctl as data, so that it can be quoted for a shell, given a service, and run by a script. */
export class CommandLine {
  /** The words after `botctl`, unquoted. */
  readonly words: readonly (string | Placeholder)[];
  /** Variables of the environment that it is run with. */
  readonly variables: Readonly<Record<string, string>>;

  constructor(words: readonly (string | Placeholder)[], variables: Readonly<Record<string, string>> = {}) {
    this.words = words;
    this.variables = variables;
  }

  /** Returns the line as a person types it. */
  text(given?: ServiceOptions): string {
    const words = guardDashedNames(this.#with(given)).map((word) =>
      typeof word === 'string' ? shellWord(word) : word.placeholder,
    );
    const variables = Object.entries(this.variables).map(([name, value]) => `${name}=${shellWord(value)}`);
    return [...variables, 'botctl', ...words].join(' ');
  }

  /**
   * Returns the line as an argument list that can be run as it stands, or undefined if a word is to be filled in
   * or a variable to be set.
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

  /** Returns the words with the service that was chosen for the current line alone, if they have to do with one. */
  #withService(
    { profile, baseUrl, caFile, insecureHttp }: ServiceOptions,
    { withoutProfile, withoutAddress }: NounScope,
  ): Words {
    const [noun] = this.words;
    if (typeof noun !== 'string' || noun.startsWith('-') || withoutProfile || this.words.includes('--help'))
      return this.words;
    const own = optionValue(this.words, '--profile');
    // An empty name is that of no profile: it is what the line got wrong.
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

/** Returns words with `--` before names that would be read as options: `-rf`. */
function guardDashedNames(words: Words): Words {
  const first = words.findIndex((_, at) => isDashedName(words, at));
  if (first < 0) return words;
  const isOption = (at: number): boolean => {
    const word = words[at];
    return typeof word === 'string' && word.startsWith('-') && !isDashedName(words, at);
  };
  // An option may not come after the `--`.
  const rest = [...words.keys()].slice(first);
  const end = rest.find(isOption) ?? words.length;
  const options = rest.filter((at) => at >= end && !isDashedName(words, at));
  const names = rest.filter((at) => at < end || isDashedName(words, at));
  return [...[...words.keys()].slice(0, first), ...options, undefined, ...names].map((at) =>
    at === undefined ? '--' : (words[at] ?? ''),
  );
}

/** True if a word is a name that looks like short options, and not the value of an option. */
function isDashedName(words: Words, at: number): boolean {
  const [before, word, after] = [words[at - 1], words[at], words[at + 1]];
  if (typeof word !== 'string' || !/^-[^-]/.test(word)) return false;
  // The one short option that is written in command lines of ours.
  if (word === '-o' && typeof after === 'string' && !after.startsWith('-')) return false;
  return !(typeof before === 'string' && before.startsWith('--'));
}

function optionValue(words: Words, option: string): Words[number] | undefined {
  return words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
}

/** True of an address that is refused for what stands in it, and must not be shown. */
function holdsPassword(baseUrl: string): boolean {
  return baseUrl.includes('@');
}

/** Returns a command line: `command('teams', 'get', name)`, `command('bots', 'get', placeholder('<bot>'))`. */
export function command(...words: readonly (string | Placeholder)[]): CommandLine {
  return new CommandLine(words);
}

/** A command of another program, to be copied as it stands. */
export interface ExternalCommand {
  text(): string;
}

/**
 * Returns a command of another program.
 * @param words unquoted
 * @param output the file for its output, if that doesn't go to the terminal
 */
export function externalCommand(words: readonly string[], output?: string): ExternalCommand {
  const line = [...words.map(shellWord), ...(output === undefined ? [] : ['>', shellWord(output)])].join(' ');
  return { text: () => line };
}

type Part = string | CommandLine | ExternalCommand;

/** Text for a person with command lines in it. */
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

/** A remark, or a string if there are no command lines in it. */
export type RemarkText = string | Remark;

/** Returns a remark from a template: `remark`See what there is: ${command('teams', 'list')}``. */
export function remark(
  texts: TemplateStringsArray,
  ...values: readonly (Part | Remark | undefined)[]
): Remark {
  return new Remark(
    texts.flatMap((text, at) => [text, ...partsOf(values[at])].filter((part) => part !== '')),
  );
}

/** Returns several remarks as one, or undefined if there are none. */
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

/** Returns the command lines of a remark, in order. */
export function commandsIn(text: RemarkText | undefined): readonly CommandLine[] {
  return partsOf(text).filter((part) => part instanceof CommandLine);
}

/** Returns the texts of all commands in a remark, also of other programs, which stay whole when text is wrapped. */
export function commandTextsIn(text: RemarkText | undefined, given?: ServiceOptions): readonly string[] {
  return partsOf(text).flatMap((part) => (typeof part === 'string' ? [] : [part.text(given)]));
}

function partsOf(value: RemarkText | Part | undefined): readonly Part[] {
  if (value === undefined) return [];
  return value instanceof Remark ? value.parts : [value];
}
