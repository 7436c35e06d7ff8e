import { exactJson } from '../lib/exact-json.ts';
import { ownMember } from '../lib/json-object.ts';
import { escapeJson } from '../lib/text/json.ts';
import type { Row } from './fields.ts';
import { hasMembers } from './values.ts';

/** Returns the JSON text of a value, on one line or indented, safe to show on a terminal and lossless. */
export function toJson(value: unknown, indented = false): string {
  return escapeJson(exactJson(value, indented ? 2 : 0));
}

/** Returns a line of JSON for each value, like `toJson`. Escapes all lines at once. */
export function toJsonLines(values: readonly object[]): string {
  const lines = values.map((value) => exactJson(value));
  // This adds the last line end too. Appending it to the text would make a string of two parts, which is slow to
  // search.
  lines.push('');
  return escapeJson(lines.join('\n'));
}

/**
 * Returns the JSON of a list, like `toJson`, in pieces: a single text is slow to build from millions of rows, and V8
 * limits its length. Nothing can be written before everything has arrived, since a list that fails shows nothing.
 * @throws NestedTooDeeply once everything has arrived: the remaining rows may be work that was requested
 */
export async function jsonPieces(
  chunks: AsyncIterable<readonly unknown[]>,
  indented = false,
): Promise<readonly string[]> {
  const end = indented ? '\n]' : ']';
  const pieces = await piecesOf(
    chunks,
    (chunk, isFirst) => `${isFirst ? '[' : ','}${toJson(chunk, indented).slice(1, -end.length)}`,
  );
  return pieces.length === 0 ? ['[]\n'] : [...pieces, `${end}\n`];
}

/**
 * Returns a text for each chunk that is not empty.
 * @throws the first error of `textOf`, once everything has arrived
 */
export async function piecesOf<T>(
  chunks: AsyncIterable<readonly T[]>,
  textOf: (chunk: readonly T[], isFirst: boolean) => string,
): Promise<readonly string[]> {
  const pieces: string[] = [];
  const failures: unknown[] = [];
  for await (const chunk of chunks) {
    if (chunk.length === 0 || failures.length > 0) continue;
    try {
      pieces.push(textOf(chunk, pieces.length === 0));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return pieces;
}

/** Returns an object's JSON; if that is a single string, as for a secret, returns the string itself. */
export function objectText(value: object): string {
  const json = toJson(value);
  const parsed: unknown = json.startsWith('"') ? JSON.parse(json) : undefined;
  return typeof parsed === 'string' ? parsed : json;
}

/**
 * Returns the requested members of a row, in that order and in their place: `quotas.bots` stays inside `quotas`, and
 * `documents.document_id` in each element of the list. A member that the row lacks is null, so that every row has the
 * same members.
 */
export function pickMembers(row: Row, names: readonly string[]): Row {
  const picked: Record<string, unknown> = {};
  for (const name of names) copyMember(picked, row, pathOf(row, name));
  return picked;
}

/** Returns the path of a name. A member may have a dot in its own name. */
function pathOf(row: Row, name: string): readonly string[] {
  return Object.hasOwn(row, name) ? [name] : name.split('.');
}

function copyMember(
  picked: Record<string, unknown>,
  from: unknown,
  [name = '', ...rest]: readonly string[],
): void {
  const found = hasMembers(from) ? ownMember(from, name) : undefined;
  define(picked, name, rest.length === 0 ? (found ?? null) : inside(ownMember(picked, name), found, rest));
}

/**
 * Returns the members picked so far, with the value at the path added. Makes a copy, since the object may be the row's
 * own.
 */
function inside(there: unknown, from: unknown, path: readonly string[]): unknown {
  if (Array.isArray(from)) {
    const picked: readonly unknown[] = Array.isArray(there) ? there : [];
    return from.map((one, at) => inside(picked[at], one, path));
  }
  const copy: Record<string, unknown> = hasMembers(there) ? { ...there } : {};
  copyMember(copy, from, path);
  return copy;
}

/** Defines a member. Plain assignment would set the prototype for a member called `__proto__`. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
