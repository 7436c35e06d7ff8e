import { nonEmptyText, type Parse, text, ValueError } from '../lib/parse.ts';

/** The kinds of argument and option that commands declare. */

/** Looks into a value where that takes longer than parsing it. @throws Failure `usage` */
export type Check = (value: string) => Promise<unknown>;

/** A kind of thing that is given by name or id. */
export type Noun = 'team' | 'bot' | 'document' | 'device' | 'key' | 'profile' | 'campaign';

/** The form of a value that begins with one of a few words; completions offer those. */
export interface Form {
  /** `order`: the word, and `:asc` or `:desc` after it if wanted. `pair`: the word, `=`, and a value: yes or no of a flag. */
  readonly kind: 'order' | 'pair';
  readonly words: readonly { readonly name: string; readonly heading?: string; readonly kind?: string }[];
}

/** The kind of value that an argument or option takes: its parser, and the offers of questions and completions. */
export interface ValueType<T> {
  readonly parse: Parse<T>;
  readonly choices?: readonly string[];
  /** The kind of thing that it names; completions and questions offer those that there are. */
  readonly noun?: Noun;
  readonly form?: Form;
  /** It is the path of a file. */
  readonly isPath?: boolean;
  /**
   * There is a phone number in it: returns its parser. Numbers are read by data that the runner loads where one was typed,
   * and as `--region` has it.
   */
  readonly parserWith?: (number: Parse<string>) => Parse<T>;
  /** Checks a value that was parsed, before anything else is asked for. */
  readonly check?: Check;
}

/** A kind of value, or the parser alone where nothing can be offered. */
type TypeOf<T> = ValueType<T> | Parse<T>;

function typeOf<T>(type: TypeOf<T>): ValueType<T> {
  return typeof type === 'function' ? { parse: type } : type;
}

/** A positional argument. */
export interface Argument<T> extends ValueType<unknown> {
  readonly summary: string;
  readonly optional: boolean;
  readonly variadic: boolean;
  /** Several may be given, and `-` for the lines of stdin: the runner runs the command for each of them. */
  readonly each?: boolean;
  /** Its words are another command with its own options. */
  readonly isCommand?: boolean;
  /** Carries the type of the value; never set. */
  readonly type?: T;
}

/** An option of a command. */
export interface Option<T> extends ValueType<unknown> {
  /** As commander writes them: `'-t, --team <team>'`. */
  readonly flags: string;
  readonly summary: string;
  /** `rest`: it takes every word behind it to the end of the line, options included. */
  readonly kind: 'value' | 'flag' | 'switch' | 'many' | 'rest';
  /** The value has to be given, on the line or by a person who is asked. */
  readonly required: boolean;
  /**
   * The value has to be given where that option, by its name in the declaration, is not. Where a person can be
   * asked, the command does that itself.
   */
  readonly requiredWithout?: string;
  /** Its value may also be given as a word: the words of such options follow the arguments, in the order of the declaration. */
  readonly isPositional?: boolean;
  readonly fallback?: unknown;
  /** The effect of its `--no-` form, if it has one; the value is false then. */
  readonly off?: string;
  /** Not shown in help or completions: an option that is there only to be refused with a reason. */
  readonly hidden?: boolean;
  /** Carries the type of the value; never set. */
  readonly type?: T;
}

/** An argument that has to be given. */
export function argument<T>(summary: string, type: TypeOf<T>): Argument<T> {
  return { summary, optional: false, variadic: false, ...typeOf(type) };
}

/** An argument that may be left out. */
export function optionalArgument<T>(summary: string, type: TypeOf<T>): Argument<T | undefined> {
  return { summary, optional: true, variadic: false, ...typeOf(type) };
}

/** One thing, of which several may be given: the command is run for each. */
export function eachOf<T>(summary: string, type: TypeOf<T>): Argument<T> {
  return { ...argument(summaryOfEach(summary), type), variadic: true, each: true };
}

/**
 * Any number of things; undefined if there are none. The command is run for each, with one in its list, unless it
 * takes them `together`.
 */
export function optionalEachOf<T>(summary: string, type: TypeOf<T>): Argument<readonly T[] | undefined> {
  return { ...optionalArgumentList(summaryOfEach(summary), type), each: true };
}

function summaryOfEach(summary: string): string {
  return `${summary}; - reads them from stdin, one per line`;
}

/** One or more arguments of a kind. */
export function argumentList<T>(summary: string, type: TypeOf<T>): Argument<readonly T[]> {
  return { summary, optional: false, variadic: true, ...typeOf(type) };
}

/** Any number of arguments of a kind; undefined if there are none. */
export function optionalArgumentList<T>(
  summary: string,
  type: TypeOf<T>,
): Argument<readonly T[] | undefined> {
  return { summary, optional: true, variadic: true, ...typeOf(type) };
}

/** An option with a value, which may be left out. */
export function option<T>(flags: string, summary: string, type: TypeOf<T>): Option<T | undefined> {
  return { flags, summary, kind: 'value', required: false, ...typeOf(type) };
}

/** An option with a value that has to be given. */
export function requiredOption<T>(flags: string, summary: string, type: TypeOf<T>): Option<T> {
  return { flags, summary, kind: 'value', required: true, ...typeOf(type) };
}

/** Lets the value of an option be given as a word too: `keys create ci` for `keys create --name ci`. */
export function positional<T>(declared: Option<T>): Option<T> {
  return { ...declared, isPositional: true };
}

/** An option with a value that stands in where none is given. */
export function optionOr<T>(flags: string, summary: string, fallback: T, type: TypeOf<T>): Option<T> {
  return { flags, summary, kind: 'value', required: false, fallback, ...typeOf(type) };
}

/** An option that may be given several times. */
export function manyOptions<T>(flags: string, summary: string, type: TypeOf<T>): Option<readonly T[]> {
  return { flags, summary, kind: 'many', required: false, fallback: [], ...typeOf(type) };
}

/**
 * The option that takes the rest of the line, as `-exec` of find does: its words are a command with its arguments. It has no
 * type, since the words belong to that command. `argv.ts` recognizes it before it reads any other option.
 */
export function restOption(summary: string): Option<readonly string[] | undefined> {
  return { flags: `${restFlag} <command...>`, summary, kind: 'rest', required: false, parse: text };
}

/** The flag of every option that takes the rest of the line. */
export const restFlag = '--exec';

/** An option without a value. */
export function flag(flags: string, summary: string): Option<boolean> {
  return { flags, summary, kind: 'flag', required: false, fallback: false, parse: text };
}

/**
 * An option without a value that has a `--no-` form: true, false, or undefined if neither is given.
 * @param off what the `--no-` form does
 */
export function onOff(flags: string, summary: string, off: string): Option<boolean | undefined> {
  return { flags, summary, kind: 'switch', required: false, off, parse: text };
}

/**
 * An option with a value, or turned off by its `--no-` form: `--qr sextant`, `--no-qr`. Returns false then, and
 * undefined if neither is given.
 * @param off what the `--no-` form does
 */
export function optionOrOff<T>(
  flags: string,
  summary: string,
  off: string,
  type: TypeOf<T>,
): Option<T | false | undefined> {
  return { flags, summary, kind: 'value', required: false, off, ...typeOf(type) };
}

/** Returns the long form of an option, as it is typed: `--team`. */
export function longFlag({ flags }: Pick<Option<unknown>, 'flags'>): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** The name or the id of a thing. */
export function nameOf(noun: Noun): ValueType<string> {
  return { parse: nonEmptyText, noun };
}

/** A value of that form. */
export function withForm<T>(form: Form, parse: Parse<T>): ValueType<T> {
  return { parse, form };
}

/** The path of a file. */
export const path: ValueType<string> = { parse: nonEmptyText, isPath: true };

/** A value with a phone number in it. @param parserWith makes its parser of one that returns E.164 digits, without the plus */
export function withPhone<T>(parserWith: (number: Parse<string>) => Parse<T>): ValueType<T> {
  return {
    parserWith,
    parse: () => {
      throw new TypeError('the runner has not loaded what reads phone numbers');
    },
  };
}

/** A phone number: E.164 digits, without the plus. */
export const phone: ValueType<string> = withPhone((number) => number);

/** The path of a file that is looked into before anything else is asked for. */
export function checkedPath(check: Check): ValueType<string> {
  return { ...path, check };
}

/** One of a few words. */
export function choice<const T extends string>(...choices: readonly T[]): ValueType<T> {
  const parse: Parse<T> = (raw) => {
    const found = choices.find((candidate) => candidate === raw);
    if (found === undefined) throw new ValueError(`must be one of ${choices.join(', ')}, not "${raw}"`);
    return found;
  };
  return { parse, choices };
}

/** The option to take what is there under the name instead of creating another one. */
export const ifAbsentOption = flag('--if-absent', 'return the existing object if one has exactly that name');
