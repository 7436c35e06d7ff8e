import { exactJson } from '../lib/exact-json.ts';
import { ownMember } from '../lib/json-object.ts';
import { escapeJson } from '../lib/text/json.ts';
import type { Row } from './fields.ts';
import { hasMembers } from './values.ts';

/** JSON text of a value, on one line or indented, safe to show on a terminal and lossless. */
export function toJson(value: unknown, indented = false): string {
  return escapeJson(exactJson(value, indented ? 2 : 0));
}

/** A line of JSON for each value, as `toJson` gives it. What it does to a line it does to all of them at once. */
export function toJsonLines(values: readonly object[]): string {
  const lines = values.map((value) => exactJson(value));
  // The last line ends like the others: adding its end to the text would make a text of two parts, which is
  // slow to look through.
  lines.push('');
  return escapeJson(lines.join('\n'));
}

/**
 * Returns the line or lines that `toJson` gives of a list, in pieces: one text is slow to make of millions of rows, and ends at
 * the longest that V8 has. Nothing can be written before all of it is there, since a list that fails shows nothing.
 * @throws NestedTooDeeply once everything has arrived: what still arrives may be work that was asked for
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
 * Returns a text for each chunk that has something in it.
 * @throws what `textOf` throws, once everything has arrived
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

/** An object's JSON; where it prints as one string, as a secret does, that string. */
export function objectText(value: object): string {
  const json = toJson(value);
  const parsed: unknown = json.startsWith('"') ? JSON.parse(json) : undefined;
  return typeof parsed === 'string' ? parsed : json;
}

/**
 * The members of a row that were asked for, in that order and in their place: `quotas.bots` stays inside
 * `quotas`, and `documents.document_id` in each element of the list. One that the row lacks is null, so that every row
 * has the same members.
 */
export function pickMembers(row: Row, names: readonly string[]): Row {
  const picked: Record<string, unknown> = {};
  for (const name of names) copyMember(picked, row, pathOf(row, name));
  return picked;
}

/** A member may have a dot in its own name. */
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

/** What was picked of a member so far, and what the path leads to: a copy, as it may be the row's own. */
function inside(there: unknown, from: unknown, path: readonly string[]): unknown {
  if (Array.isArray(from)) {
    const picked: readonly unknown[] = Array.isArray(there) ? there : [];
    return from.map((one, at) => inside(picked[at], one, path));
  }
  const copy: Record<string, unknown> = hasMembers(there) ? { ...there } : {};
  copyMember(copy, from, path);
  return copy;
}

/** Plain assignment would take a member called `__proto__` for the prototype. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
