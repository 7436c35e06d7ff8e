import * as z from 'zod/mini';
import { isObject, ownMember } from './json-object.ts';
import type { Path, Problem } from './problem.ts';
import { mostSimilar } from './text/similar.ts';

type Schema = z.core.$ZodType;

/** Information about fields beyond their schema. */
export interface FieldMessages {
  /** Returns why a field that isn't in the schema can't be written, or undefined for the default message. */
  unwritableReason?(path: Path): string | undefined;
  /** Returns the field names at a path to list and suggest, given those of the schema. */
  fieldNames?(path: Path, names: readonly string[]): readonly string[];
  /** Returns the problem with a value in place of text, or undefined for the default message. */
  notTextReason?(path: Path): string | undefined;
  /** Returns true if a value must not be shown. */
  isSecret?(path: Path): boolean;
}

const genericMessage = 'Invalid input';

/** What a schema says itself comes first. A library that loads the full zod sets English messages for the whole process. */
const genericMessages = { error: (): string => genericMessage };

/** Returns all differences between a value and a schema, in words for the author of the value. */
export function schemaProblems(
  schema: Schema,
  value: unknown,
  words: FieldMessages = {},
): readonly Problem[] {
  const checked = z.safeParse(schema, value, genericMessages);
  return checked.success
    ? []
    : checked.error.issues.flatMap((issue) => problemsOf(issue, schema, value, words));
}

/** Returns the schema at a path, without optional and nullable wrappers; undefined if there is none. */
export function schemaAt(schema: Schema, path: Path): Schema | undefined {
  let at: Schema | undefined = unwrapOptional(schema);
  for (const step of path) {
    if (at instanceof z.ZodMiniObject) at = ownMember<Schema>(at.shape, String(step));
    else if (at instanceof z.ZodMiniRecord) at = at.def.valueType;
    else if (at instanceof z.ZodMiniArray) at = at.def.element;
    else return undefined;
    at = at && unwrapOptional(at);
  }
  return at;
}

function unwrapOptional(schema: Schema): Schema {
  const isWrapped = schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable;
  return isWrapped ? unwrapOptional(schema.def.innerType) : schema;
}

function problemsOf(
  issue: z.core.$ZodIssue,
  schema: Schema,
  written: unknown,
  words: FieldMessages,
): readonly Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const inner = schemaAt(schema, path);
    const names = inner instanceof z.ZodMiniObject ? Object.keys(inner.shape) : [];
    return issue.keys.map((key) => {
      const whole = [...path, key];
      const told = words.fieldNames?.(path, names) ?? names;
      return { path: whole, message: words.unwritableReason?.(whole) ?? unknownField(key, told) };
    });
  }
  // The name is wrong, not its value.
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, message }));
  const value = valueAt(written, path);
  if (value === undefined) return [{ path, message: 'is missing' }];
  const isText = issue.code === 'invalid_type' && issue.expected === 'string';
  const notText = isText ? words.notTextReason?.(path) : undefined;
  if (notText !== undefined) return [{ path, message: notText }];
  const not = words.isSecret?.(path) === true ? '' : `, not ${displayText(value)}`;
  return [{ path, message: messageFor(issue, value, schemaAt(schema, path), not) }];
}

function messageFor(
  issue: z.core.$ZodIssue,
  value: unknown,
  schema: Schema | undefined,
  not: string,
): string {
  // Uses a message defined in the schema.
  if (issue.message !== genericMessage) return `${issue.message}${not}`;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${ownMember(kindNames, issue.expected) ?? issue.expected}${not}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}${not}`;
    case 'invalid_union':
      return `must be text, a number, or true or false${not}`;
    case 'too_small':
    case 'too_big':
      if (issue.origin === 'string' && issue.code === 'too_small') return 'must not be empty';
      return `must be ${rangeOf(schema)}${not}`;
    case 'invalid_format':
      return issue.format === 'email' ? `must be an e-mail address${not}` : `has the wrong format${not}`;
    default:
      return `can't be ${not === '' ? 'that' : displayText(value)}`;
  }
}

const kindNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields with values',
  record: 'names with values',
};

/** Describes the range of a schema: `a number from 0 to 2`, `a whole number of at least 0`, `shorter`. */
function rangeOf(schema: Schema | undefined): string {
  const { type, minimum, maximum } = schema ? z.toJSONSchema(schema) : {};
  if (type !== 'number' && type !== 'integer') return 'shorter';
  const what = type === 'integer' ? 'a whole number' : 'a number';
  if (maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER) return `${what} of at least ${minimum}`;
  return minimum === undefined ? `${what} of at most ${maximum}` : `${what} from ${minimum} to ${maximum}`;
}

function displayText(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'fields with values';
  if (typeof value !== 'string') return String(value);
  const line = value.replace(/\s+/g, ' ');
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 39)}…` : line);
}

function unknownField(key: string, names: readonly string[]): string {
  const similar = mostSimilar(key, names);
  return similar === undefined
    ? `is not a field; the fields are ${names.join(', ')}`
    : `is not a field; did you mean ${similar}?`;
}

function valueAt(written: unknown, path: Path): unknown {
  let value = written;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, step)?.value;
  }
  return value;
}
