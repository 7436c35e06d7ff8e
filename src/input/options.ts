/**
 * The kinds of argument and option that commands declare. Each parses one raw string into a value or
 * throws a `ValueError` whose message completes "--option: …".
 */

/** Why a value was refused, in a few words: "must be a whole number from 1 to 100". */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

/** Turns what was typed into a value. Throws `ValueError`. */
export type Parse<T> = (raw: string) => T;

/** Looks into a value where that takes longer than parsing it. @throws Failure `usage` */
export type Check = (value: string) => Promise<unknown>;

/** A kind of thing that is given by name or id. */
export type Noun = 'team' | 'bot' | 'document' | 'device' | 'key' | 'profile';

/** How a value is written that begins with one of a few words; completions offer those. */
export interface Form {
  /** `order`: the word, and `:asc` or `:desc` after it where wanted. `pair`: the word, `=`, and a value. */
  readonly kind: 'order' | 'pair';
  readonly words: readonly { readonly name: string; readonly heading?: string }[];
}

/** A positional argument. */
export interface Argument<T> {
  readonly summary: string;
  readonly optional: boolean;
  readonly variadic: boolean;
  readonly choices?: readonly string[];
  /** What it names; completions and questions offer those that there are. */
  readonly noun?: Noun;
  readonly form?: Form;
  /** It is the path of a file. */
  readonly isPath?: boolean;
  /** What is wrong with a value that was parsed, looked into before anything else is asked for. */
  readonly check?: Check;
  readonly parse: Parse<unknown>;
  /** Carries the type of the value; never set. */
  readonly type?: T;
}

/** An option of a command. */
export interface Option<T> {
  /** As commander writes them: `'-t, --team <team>'`. */
  readonly flags: string;
  readonly summary: string;
  readonly kind: 'value' | 'flag' | 'switch' | 'many';
  /** The value has to be given, on the line or by a person who is asked. */
  readonly required: boolean;
  /**
   * The value has to be given where that option, by its name in the declaration, is not. Where a person can be
   * asked, the command does that itself.
   */
  readonly requiredWithout?: string;
  readonly fallback?: unknown;
  readonly choices?: readonly string[];
  /** What it names; completions and questions offer those that there are. */
  readonly noun?: Noun;
  readonly form?: Form;
  /** It is the path of a file. */
  readonly isPath?: boolean;
  /** What its `--no-` form does, where it has one; it gives false then. */
  readonly off?: string;
  /** Not shown in help or completions: an option that is there only to be refused with a reason. */
  readonly hidden?: boolean;
  readonly parse: Parse<unknown>;
  readonly type?: T;
}

/** An argument that has to be given. */
export function argument<T>(summary: string, parse: Parse<T>): Argument<T> {
  return { summary, optional: false, variadic: false, parse, ...hintsOf(parse) };
}

/** An argument that may be left out. */
export function optionalArgument<T>(summary: string, parse: Parse<T>): Argument<T | undefined> {
  return { summary, optional: true, variadic: false, parse, ...hintsOf(parse) };
}

/** One or more arguments of a kind. */
export function argumentList<T>(summary: string, parse: Parse<T>): Argument<readonly T[]> {
  return { summary, optional: false, variadic: true, parse, ...hintsOf(parse) };
}

/** Any number of arguments of a kind; undefined where there are none. */
export function optionalArgumentList<T>(
  summary: string,
  parse: Parse<T>,
): Argument<readonly T[] | undefined> {
  return { summary, optional: true, variadic: true, parse, ...hintsOf(parse) };
}

/** An option with a value, which may be left out. */
export function option<T>(flags: string, summary: string, parse: Parse<T>): Option<T | undefined> {
  return { flags, summary, kind: 'value', required: false, parse, ...hintsOf(parse) };
}

/** An option with a value that has to be given. */
export function requiredOption<T>(flags: string, summary: string, parse: Parse<T>): Option<T> {
  return { flags, summary, kind: 'value', required: true, parse, ...hintsOf(parse) };
}

/** An option with a value that stands in where none is given. */
export function optionOr<T>(flags: string, summary: string, fallback: T, parse: Parse<T>): Option<T> {
  return { flags, summary, kind: 'value', required: false, fallback, parse, ...hintsOf(parse) };
}

/** An option that may be given several times. */
export function manyOptions<T>(flags: string, summary: string, parse: Parse<T>): Option<readonly T[]> {
  return { flags, summary, kind: 'many', required: false, fallback: [], parse, ...hintsOf(parse) };
}

/** An option without a value. */
export function flag(flags: string, summary: string): Option<boolean> {
  return { flags, summary, kind: 'flag', required: false, fallback: false, parse: text };
}

/**
 * An option without a value that has a `--no-` form: true, false, or undefined where neither is given.
 * @param off what the `--no-` form does
 */
export function onOff(flags: string, summary: string, off: string): Option<boolean | undefined> {
  return { flags, summary, kind: 'switch', required: false, off, parse: text };
}

/**
 * An option with a value, or turned off by its `--no-` form: `--qr sextant`, `--no-qr`. Gives false then, and
 * undefined where neither is given.
 * @param off what the `--no-` form does
 */
export function optionOrOff<T>(
  flags: string,
  summary: string,
  off: string,
  parse: Parse<T>,
): Option<T | false | undefined> {
  return { flags, summary, kind: 'value', required: false, off, parse, ...hintsOf(parse) };
}

/** What the `--no-` form of an option does; undefined where it has none. */
export function oppositeOf({ off }: Option<unknown>): string | undefined {
  return off;
}

/** What a kind of value lets questions and completions offer. */
type Hints = Pick<Argument<unknown>, 'choices' | 'noun' | 'form' | 'isPath' | 'check'>;

const hints = new WeakMap<Parse<unknown>, Hints>();

function hintsOf(parse: Parse<unknown>): Hints {
  return hints.get(parse) ?? {};
}

/** Any text, as typed. */
export const text: Parse<string> = (raw) => raw;

/** Text with something in it. */
export const someText: Parse<string> = (raw) => {
  if (raw.trim() === '') throw new ValueError('must not be empty');
  return raw;
};

/** The name or the id of a thing. */
export function nameOf(noun: Noun): Parse<string> {
  const parse: Parse<string> = (raw) => someText(raw);
  hints.set(parse, { noun });
  return parse;
}

/** A value of that form. */
export function formed<T>(form: Form, parse: Parse<T>): Parse<T> {
  const own: Parse<T> = (raw) => parse(raw);
  hints.set(own, { form });
  return own;
}

/** The path of a file. */
export const path: Parse<string> = (raw) => someText(raw);
hints.set(path, { isPath: true });

/** The path of a file that is looked into before anything else is asked for. */
export function checkedPath(check: Check): Parse<string> {
  const parse: Parse<string> = (raw) => path(raw);
  hints.set(parse, { isPath: true, check });
  return parse;
}

/** A whole number within bounds. */
export function integer(bounds: { min?: number; max?: number } = {}): Parse<number> {
  return (raw) => {
    const value = Number(raw);
    const valid = /^[+-]?\d+$/.test(raw.trim()) && Number.isSafeInteger(value);
    if (!valid || outside(value, bounds))
      throw new ValueError(`must be a whole number${range(bounds)}, not "${raw}"`);
    return value;
  };
}

/** A number within bounds, with or without a fraction. */
export function decimal(bounds: { min?: number; max?: number } = {}): Parse<number> {
  return (raw) => {
    const value = Number(raw);
    const valid = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(raw.trim());
    if (!valid || outside(value, bounds))
      throw new ValueError(`must be a number${range(bounds)}, not "${raw}"`);
    return value;
  };
}

function outside(
  value: number,
  { min = -Infinity, max = Infinity }: { min?: number; max?: number },
): boolean {
  return value < min || value > max;
}

function range({ min, max }: { min?: number; max?: number }): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  if (max !== undefined) return ` of at most ${max}`;
  return '';
}

/** One of a few words. */
export function choice<const T extends string>(...choices: readonly T[]): Parse<T> {
  const parse: Parse<T> = (raw) => {
    const found = choices.find((candidate) => candidate === raw);
    if (found === undefined) throw new ValueError(`must be one of ${choices.join(', ')}, not "${raw}"`);
    return found;
  };
  hints.set(parse, { choices });
  return parse;
}

const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `30s`, `5m`, `2h` or `90d`; a bare number counts seconds. Gives milliseconds. */
export const duration: Parse<number> = (raw) => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(raw.trim());
  if (!match) throw new ValueError(`must be a duration such as 30s, 5m or 90d, not "${raw}"`);
  const unit = match[2] as keyof typeof durationUnits | undefined;
  return Math.round(Number(match[1]) * durationUnits[unit ?? 's']);
};

/** A duration that is longer than nothing. Gives milliseconds. */
export const someTime: Parse<number> = (raw) => {
  const milliseconds = duration(raw);
  if (milliseconds === 0) throw new ValueError('must be longer than nothing');
  return milliseconds;
};

/** `name=value`, split at the first equals sign. */
export const pair: Parse<{ readonly name: string; readonly value: string }> = (raw) => {
  const at = raw.indexOf('=');
  if (at < 1) throw new ValueError(`must be NAME=VALUE, not "${raw}"`);
  return { name: raw.slice(0, at), value: raw.slice(at + 1) };
};

/**
 * A phone number as people write it, with its country code: `+55 (11) 99999-0000`. Gives E.164 digits
 * without the plus; each field adds what it wants. A trunk zero in parentheses is refused, not dropped.
 */
export const phoneNumber: Parse<string> = (raw) => {
  const written = raw.trim();
  const digits = written.replace(/[\s().\-–\u00a0]/g, '').replace(/^\+/, '');
  if (/\(0\)/.test(written)) {
    throw new ValueError(`must be written without the trunk zero "(0)": "${raw}"`);
  }
  if (!/^[1-9]\d{6,14}$/.test(digits)) {
    throw new ValueError(`must be an international phone number such as +55 11 99999-0000, not "${raw}"`);
  }
  return digits;
};
