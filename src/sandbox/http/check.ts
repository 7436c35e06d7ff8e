import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.ts';
import { Refusal } from '../service.ts';

/** A problem with a request, as listed in `details.issues`. */
export interface Issue {
  /** Members and indexes joined by dots; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** The part of a request that is checked, for messages. */
export type Part = 'body' | 'query' | 'form';

/** Maximum depth of JSON in requests of this API. */
const deepest = 64;

/** Maximum issues in the message itself; `details` contains all. */
const maxListedIssues = 3;

const english = z.locales.en();

/**
 * Checks a part of a request against the contract.
 * @throws Refusal BAD_REQUEST that lists every issue
 */
export function check<S extends Schema>(schema: S, value: unknown, part: Part): z.output<S> {
  const unstorable = findUnstorable(value, [], 0);
  if (unstorable) throw refuseIssues([unstorable], part);
  const parsed = z.safeParse(schema, value, { error: english.localeError });
  if (parsed.success) return parsed.data;
  throw refuseIssues(
    parsed.error.issues.flatMap((issue) => describe(issue, value)),
    part,
  );
}

/**
 * Checks that a body is not compressed.
 * @throws Refusal BAD_REQUEST if it is, for example with gzip
 */
export function checkEncoding({ headers }: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding.toLowerCase() === 'identity') return;
  throw new Refusal('BAD_REQUEST', `A body must not be encoded as ${encoding}.`);
}

/** Returns the error for a request with these issues. */
export function refuseIssues(issues: readonly Issue[], part: Part): Refusal {
  const told = issues
    .slice(0, maxListedIssues)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length > maxListedIssues ? `; and ${issues.length - maxListedIssues} more` : '';
  return new Refusal('BAD_REQUEST', `Invalid ${part}: ${told.join('; ')}${more}.`, { issues });
}

function describe(issue: z.core.$ZodIssue, value: unknown): readonly Issue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: pathText([...issue.path, key]), message: 'is not known here' }));
  }
  const missing = issue.code === 'invalid_type' && memberAt(value, issue.path) === undefined;
  return [{ path: pathText(issue.path), message: missing ? 'is missing' : issue.message }];
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let member = value;
  for (const key of path) {
    if (typeof member !== 'object' || member === null) return undefined;
    member = Object.getOwnPropertyDescriptor(member, key)?.value;
  }
  return member;
}

/** Finds values that JSON allows but the database can't store: NUL, a lone surrogate, or excessive nesting. */
function findUnstorable(value: unknown, path: readonly string[], depth: number): Issue | undefined {
  if (typeof value === 'string' && !isStorable(value)) {
    return { path: pathText(path), message: 'holds a character that is not text' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= deepest) return { path: pathText(path.slice(0, 3)), message: 'is nested too deeply' };
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) return { path: pathText(path), message: 'has a member whose name is not text' };
    const found = findUnstorable(member, [...path, key], depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Returns true if the database can store a text: PostgreSQL rejects NUL and lone surrogates. */
export function isStorable(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text);
}

/**
 * Rejects names of only white space, which a reader can't distinguish from a missing one.
 * @param names the names in a body, by path: `team.name`
 * @throws Refusal BAD_REQUEST that lists each
 */
export function checkNames(names: Readonly<Record<string, string | undefined>>): void {
  const blank = Object.entries(names).filter(([, name]) => name?.trim() === '');
  if (blank.length === 0) return;
  throw refuseIssues(
    blank.map(([path]) => ({ path, message: 'must not be blank' })),
    'body',
  );
}
