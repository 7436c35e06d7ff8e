import { Failure } from '../lib/errors.ts';
import { ownMember } from '../lib/json-object.ts';
import { fold } from '../lib/text/compare.ts';
import { capitalised } from '../lib/text/sentence.ts';
import { didYouMean, findSimilar, mostSimilar } from '../lib/text/similar.ts';
import { sanitise } from '../terminal/sanitise.ts';
import type { Field, Fields, Row } from './fields.ts';

/**
 * True if a value is an object with members: not an array, not null, and not an object that prints as something else,
 * such as a secret.
 */
export function hasMembers(value: unknown): value is Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !('toJSON' in value && typeof value.toJSON === 'function');
}

/** True if rows arrive one by one. */
export function isStreaming(result: unknown): result is AsyncIterable<Row> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

/** True if a result is rows, whether they have arrived or not. */
export function isRows(result: unknown): result is readonly Row[] | AsyncIterable<Row> {
  return Array.isArray(result) || isStreaming(result);
}

/**
 * Returns the value of a field: the member of that name, or the value at that path; undefined if it is missing. A path
 * through a list returns a list with the value of each element, null for one that lacks it.
 */
export function valueAt(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : valueBelow(row, name.split('.'));
}

function valueBelow(whole: unknown, path: readonly string[]): unknown {
  let value = whole;
  for (const [at, step] of path.entries()) {
    if (Array.isArray(value)) return valuesOf(value, path.slice(at));
    if (!hasMembers(value) || !Object.hasOwn(value, step)) return undefined;
    value = ownMember(value, step);
  }
  return value;
}

function valuesOf(list: readonly unknown[], path: readonly string[]): readonly unknown[] | undefined {
  const values = list.map((one) => valueBelow(one, path));
  const isThere = values.length === 0 || values.some((value) => value !== undefined);
  return isThere ? values.map((value) => value ?? null) : undefined;
}

/** Returns the displayed value: that of the field, or the name in the place of an id. */
export function shownValue({ name, shownAs }: Field, row: Row): unknown {
  const shown = shownAs === undefined ? undefined : valueAt(row, shownAs);
  return isEmpty(shown) ? valueAt(row, name) : shown;
}

/** True for a missing value, null and an empty text. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Returns the words to show for a field: its heading, or words derived from its name. */
export function headingOf(field: Field): string {
  return nameInWords(field.heading ?? field.name);
}

/**
 * Returns a name in words: `team_id` gives `Team ID`. Safe to show: the name may be a column of a file, or a member of
 * a response.
 */
export function nameInWords(name: string): string {
  const text = sanitise(name)
    .replace(/[_.]/g, ' ')
    .replace(/\b(id|url|qr)\b/g, (short) => short.toUpperCase());
  return capitalised(text);
}

/** True if a name is a declared field, a member inside one, or the whole that declared fields are inside of. */
export function isDeclared(fields: Fields, name: string): boolean {
  return fields.some(
    (field) => field.name === name || name.startsWith(`${field.name}.`) || field.name.startsWith(`${name}.`),
  );
}

/** True if a typed name needs no declaration: `.name` is any member of that name. */
export function isAnyMember(typed: string): boolean {
  return typed.length > 1 && typed.startsWith('.');
}

/** Returns the typed member without the dot that allows any member. */
export function memberName(typed: string): string {
  return typed.startsWith('.') ? typed.slice(1) : typed;
}

/** Returns the requested fields, in that order. Undeclared ones have only their name. */
export function pickFields(fields: Fields, typed: readonly string[]): Fields {
  return typed.map((name) => fields.find((field) => field.name === name) ?? { name: memberName(name) });
}

/** Returns the valid fields, as a sentence. */
export function fieldsHint(fields: Fields): string {
  return `The fields are ${fields.map(({ name }) => name).join(', ')}.`;
}

/**
 * Returns the name of the field that was probably meant, by its heading or a similar name; undefined if there is none.
 */
export function similarField(typed: string, fields: Fields): string | undefined {
  const names = fields.map(({ name }) => name);
  return (
    fieldWithHeading(typed, fields) ??
    mostSimilar(typed, names) ??
    findSimilar(nameInWords(typed), fields, headingOf)[0]?.name
  );
}

/** Returns the name of the field with that heading in a table. */
function fieldWithHeading(typed: string, fields: Fields): string | undefined {
  const heading = fold(nameInWords(typed));
  return fields.find((field) => fold(headingOf(field)) === heading)?.name;
}

/**
 * Returns a sentence that suggests the field that was probably meant, followed by a space; empty if none is similar.
 */
export function similarFieldHint(typed: string, fields: Fields): string {
  const called = fieldWithHeading(typed, fields);
  if (called !== undefined) return `${typed} is ${called}. `;
  const question = didYouMean(similarField(typed, fields));
  return question === undefined ? '' : `${question} `;
}

/** Returns the failure for a field that doesn't exist. */
export function unknownFieldFailure(name: string, fields: Fields): Failure {
  const any = ` For a JSON field that is not in this list, put a dot before its name: .${name}`;
  const hint = similarFieldHint(name, fields) + fieldsHint(fields) + any;
  return new Failure('usage', `There is no field "${name}".`, { hint });
}
