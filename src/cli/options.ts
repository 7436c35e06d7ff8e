import { nonEmptyText, type Parse, text, ValueError } from '../lib/parse.ts';

/** The kinds of argument and option that commands declare. */

/** Checks a value beyond its syntax, for example by reading a file. @throws Failure `usage` */
export type Check = (value: string) => Promise<unknown>;

/** A kind of object that is given by name or id. */
export type Noun = 'team' | 'bot' | 'document' | 'device' | 'key' | 'profile' | 'campaign';

/** The form of a value that begins with one of a few words, which completion offers. */
export interface Form {
  /**
   * `order`: a word, optionally followed by `:asc` or `:desc`. `pair`: a word, `=` and a value, which is yes or no for
   * a flag.
   */
  readonly kind: 'order' | 'pair';
  readonly words: readonly { readonly name: string; readonly heading?: string; readonly kind?: string }[];
}

/** The type of value that an argument or option takes: its parser, and the choices for questions and completion. */
export interface ValueType<T> {
  readonly parse: Parse<T>;
  readonly choices?: readonly string[];
  /** The kind of object that it names; completion and questions offer the existing ones. */
  readonly noun?: Noun;
  readonly form?: Form;
  /** True if it is the path of a file. */
  readonly isPath?: boolean;
  /**
   * Returns the parser of a value that contains a phone number, given a parser of numbers. The runner provides that
   * parser for the region of `--region`, and loads its data only if a number was typed or may be asked for.
   */
  readonly parserWith?: (number: Parse<string>) => Parse<T>;
  /** Checks a parsed value, before anything else is asked for. */
  readonly check?: Check;
}

/** A type of value, or only its parser if there is nothing to offer. */
type TypeOf<T> = ValueType<T> | Parse<T>;

function typeOf<T>(type: TypeOf<T>): ValueType<T> {
  return typeof type === 'function' ? { parse: type } : type;
}

/** A positional argument. */
export interface Argument<T> extends ValueType<unknown> {
  readonly summary: string;
  readonly optional: boolean;
  readonly variadic: boolean;
  /** True if several may be given, and `-` for the lines of stdin: the runner runs the command for each. */
  readonly each?: boolean;
  /** True if its words are another command with its own options. */
  readonly isCommand?: boolean;
  /** Carries the type of the value; never set. */
  readonly type?: T;
}

/** An option of a command. */
export interface Option<T> extends ValueType<unknown> {
  /** In commander's notation: `'-t, --team <team>'`. */
  readonly flags: string;
  readonly summary: string;
  /** `rest`: it takes all following words, options included. */
  readonly kind: 'value' | 'flag' | 'switch' | 'many' | 'rest';
  /** True if the value must be given, on the command line or as an answer to a question. */
  readonly required: boolean;
  /**
   * Another option, by its name in the declaration: one of both must be given. If the user can be asked, the command
   * asks itself.
   */
  readonly requiredWithout?: string;
  /** True if its value may also be given by position: after the arguments, in the order of the declaration. */
  readonly isPositional?: boolean;
  readonly fallback?: unknown;
  /** The effect of its `--no-` form, if it has one; the value is false then. */
  readonly off?: string;
  /** True if help and completion omit it: the option exists only to be refused with a reason. */
  readonly hidden?: boolean;
  /** Carries the type of the value; never set. */
  readonly type?: T;
}

/** Declares a required argument. */
export function argument<T>(summary: string, type: TypeOf<T>): Argument<T> {
  return { summary, optional: false, variadic: false, ...typeOf(type) };
}

/** Declares an optional argument. */
export function optionalArgument<T>(summary: string, type: TypeOf<T>): Argument<T | undefined> {
  return { summary, optional: true, variadic: false, ...typeOf(type) };
}

/** Declares an argument for one or more objects: the command runs once for each. */
export function eachOf<T>(summary: string, type: TypeOf<T>): Argument<T> {
  return { ...argument(summaryOfEach(summary), type), variadic: true, each: true };
}

/**
 * Declares an argument for any number of objects; undefined if there are none. The command runs once for each, with a
 * list of that one.
 */
export function optionalEachOf<T>(summary: string, type: TypeOf<T>): Argument<readonly T[] | undefined> {
  return { ...optionalArgumentList(summaryOfEach(summary), type), each: true };
}

function summaryOfEach(summary: string): string {
  return `${summary}; - reads them from stdin, one per line`;
}

/** Declares an argument that takes one or more values. */
export function argumentList<T>(summary: string, type: TypeOf<T>): Argument<readonly T[]> {
  return { summary, optional: false, variadic: true, ...typeOf(type) };
}

/** Declares an argument that takes any number of values; undefined if there are none. */
export function optionalArgumentList<T>(
  summary: string,
  type: TypeOf<T>,
): Argument<readonly T[] | undefined> {
  return { summary, optional: true, variadic: true, ...typeOf(type) };
}

/** Declares an optional option with a value. */
export function option<T>(flags: string, summary: string, type: TypeOf<T>): Option<T | undefined> {
  return { flags, summary, kind: 'value', required: false, ...typeOf(type) };
}

/** Declares a required option with a value. */
export function requiredOption<T>(flags: string, summary: string, type: TypeOf<T>): Option<T> {
  return { flags, summary, kind: 'value', required: true, ...typeOf(type) };
}

/** Also accepts the value of an option by position: `keys create ci` for `keys create --name ci`. */
export function positional<T>(declared: Option<T>): Option<T> {
  return { ...declared, isPositional: true };
}

/** Declares an option with a default value. */
export function optionOr<T>(flags: string, summary: string, fallback: T, type: TypeOf<T>): Option<T> {
  return { flags, summary, kind: 'value', required: false, fallback, ...typeOf(type) };
}

/** Declares an option that may be given several times. */
export function manyOptions<T>(flags: string, summary: string, type: TypeOf<T>): Option<readonly T[]> {
  return { flags, summary, kind: 'many', required: false, fallback: [], ...typeOf(type) };
}

/**
 * Declares the option that takes the rest of the command line, as `-exec` of find does: its words are a command with
 * its arguments. It has no type, since the words belong to that command. `argv.ts` recognizes it before it reads any
 * other option.
 */
export function restOption(summary: string): Option<readonly string[] | undefined> {
  return { flags: `${restFlag} <command...>`, summary, kind: 'rest', required: false, parse: text };
}

/** The flag of every option that takes the rest of the line. */
export const restFlag = '--exec';

/** Declares an option without a value. */
export function flag(flags: string, summary: string): Option<boolean> {
  return { flags, summary, kind: 'flag', required: false, fallback: false, parse: text };
}

/**
 * Declares an option without a value that has a `--no-` form: true, false, or undefined if neither is given.
 * @param off the effect of the `--no-` form
 */
export function onOff(flags: string, summary: string, off: string): Option<boolean | undefined> {
  return { flags, summary, kind: 'switch', required: false, off, parse: text };
}

/**
 * Declares an option with a value and a `--no-` form: `--qr sextant`, `--no-qr`. The value is false with the `--no-`
 * form, and undefined if neither is given.
 * @param off the effect of the `--no-` form
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

/** Returns the type of a value that is the name or id of an object. */
export function nameOf(noun: Noun): ValueType<string> {
  return { parse: nonEmptyText, noun };
}

/** Returns the type of a value with this form. */
export function withForm<T>(form: Form, parse: Parse<T>): ValueType<T> {
  return { parse, form };
}

/** The path of a file. */
export const path: ValueType<string> = { parse: nonEmptyText, isPath: true };

/**
 * Returns the type of a value with a phone number in it.
 * @param parserWith returns its parser, given one that returns E.164 digits without the plus
 */
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

/** Returns the type of a file's path that is checked before anything else is asked for. */
export function checkedPath(check: Check): ValueType<string> {
  return { ...path, check };
}

/** Returns the type of a value that is one of a few words. */
export function choice<const T extends string>(...choices: readonly T[]): ValueType<T> {
  const parse: Parse<T> = (raw) => {
    const found = choices.find((candidate) => candidate === raw);
    if (found === undefined) throw new ValueError(`must be one of ${choices.join(', ')}, not "${raw}"`);
    return found;
  };
  return { parse, choices };
}

/** The option that returns an existing object of the same name instead of creating another one. */
export const ifAbsentOption = flag('--if-absent', 'return the existing object if one has exactly that name');
