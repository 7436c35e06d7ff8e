import { fold } from './text/compare.ts';

/**
 * Parsers of typed values. Each converts one raw string to a value or throws a `ValueError` whose message completes
 * "--option …".
 */

/** The reason that a value was refused, in a few words: "must be a whole number from 1 to 100". */
export class ValueError extends Error {
  override readonly name = 'ValueError';

  constructor(
    message: string,
    /**
     * Returns how to correct the value, if there is a way to show it.
     * @param label the option: `--to`
     */
    readonly cure?: (label: string) => string,
  ) {
    super(message);
  }
}

/**
 * Parses a typed text.
 * @throws ValueError
 */
export type Parse<T> = (raw: string) => T;

/** Accepts any text. */
export const text: Parse<string> = (raw) => raw;

/** Accepts text that is not blank. */
export const nonEmptyText: Parse<string> = (raw) => {
  if (raw.trim() === '') throw new ValueError('must not be empty');
  return raw;
};

/** Parses an absolute http or https address. */
export const webAddress: Parse<string> = (raw) => {
  const typed = raw.trim();
  if (!/^https?:\/\/[^\s]+$/i.test(typed) || !URL.canParse(typed))
    throw new ValueError(
      `must be a whole http or https address such as https://example.com/a.png, not "${raw}"`,
    );
  return typed;
};

/** Parses the media type of an image (RFC 6838, 4.2). */
export const imageType: Parse<string> = (raw) => {
  const typed = raw.trim();
  if (!/^image\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i.test(typed))
    throw new ValueError(`must be the type of an image such as image/jpeg, not "${raw}"`);
  return typed;
};

/** Returns a parser of whole numbers within bounds. */
export function integer(bounds: { min?: number; max?: number } = {}): Parse<number> {
  return (raw) => {
    const value = Number(raw);
    const valid = /^[+-]?\d+$/.test(raw.trim()) && Number.isSafeInteger(value);
    if (!valid || isOutOfRange(value, bounds))
      throw new ValueError(`must be a whole number${range(bounds)}, not "${raw}"`);
    return value;
  };
}

/** Returns a parser of numbers within bounds, with or without a fraction. */
export function decimal(bounds: { min?: number; max?: number } = {}): Parse<number> {
  return (raw) => {
    const value = Number(raw);
    const valid = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(raw.trim());
    if (!valid || isOutOfRange(value, bounds))
      throw new ValueError(`must be a number${range(bounds)}, not "${raw}"`);
    return value;
  };
}

function isOutOfRange(
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

const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses a duration such as `30s`, `5m`, `2h` or `90d`; a bare number is in seconds. Returns milliseconds. */
export const duration: Parse<number> = (raw) => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(raw.trim());
  if (!match) throw new ValueError(`must be a duration such as 30s, 5m or 90d, not "${raw}"`);
  const unit = match[2] as keyof typeof durationUnits | undefined;
  return Math.round(Number(match[1]) * durationUnits[unit ?? 's']);
};

/** Parses a duration greater than 0. Returns milliseconds. */
export const positiveDuration: Parse<number> = (raw) => {
  const milliseconds = duration(raw);
  if (milliseconds === 0) throw new ValueError('must be greater than 0');
  return milliseconds;
};

/** Parses a duration of at least one second. Returns milliseconds. */
export const oneSecondOrMore: Parse<number> = (raw) => {
  const milliseconds = duration(raw);
  if (milliseconds < 1000) throw new ValueError(`must be at least 1s, not "${raw}"`);
  return milliseconds;
};

/**
 * Returns a parser of durations greater than 0 up to a maximum, with the words for the maximum: `10 minutes`. It
 * returns milliseconds.
 */
export function durationUpTo(longest: number, words: string): Parse<number> {
  return (raw) => {
    const milliseconds = positiveDuration(raw);
    if (milliseconds > longest) throw new ValueError(`must be at most ${words}, not "${raw}"`);
    return milliseconds;
  };
}

const byteUnits = { k: 1e3, m: 1e6, g: 1e9, ki: 1024, mi: 1024 ** 2, gi: 1024 ** 3 } as const;

/** Parses a number of bytes: `64MiB`, `500kB`, `1 GB`, or digits only. */
export const byteSize: Parse<number> = (raw) => {
  const match = /^(\d+(?:\.\d+)?) ?(?:([kmg]i?)?b)?$/i.exec(raw.trim());
  if (!match) throw new ValueError(`must be a size such as 64MiB or 0, not "${raw}"`);
  const unit = match[2]?.toLowerCase() as keyof typeof byteUnits | undefined;
  return Math.round(Number(match[1]) * (unit ? byteUnits[unit] : 1));
};

/** Parses `name=value`, split at the first equals sign. */
export const pair: Parse<{ readonly name: string; readonly value: string }> = (raw) => {
  const at = raw.indexOf('=');
  if (at < 1) throw new ValueError(`must be NAME=VALUE, not "${raw}"`);
  return { name: raw.slice(0, at), value: raw.slice(at + 1) };
};

const yes = new Set(['TRUE', '1', 'YES']);
const no = new Set(['FALSE', '0', 'NO']);

/**
 * Parses a flag as users type it and services send it: `true`, `"true"`, 1, `"yes"`. Returns undefined for anything
 * else, including null: the caller must not treat an unknown flag as false.
 */
export function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = fold(String(value));
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}
