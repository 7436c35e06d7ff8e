import * as z from 'zod/mini';
import type { Endpoint } from './endpoint.ts';
import { identifiers, type Resource, type Schema } from './schema.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The part of an answer that a caller may rely on, derived from the strict schema: a list is an array, everything else
 * an object, and a resource has its identifying member, as a string. Nothing is known of any other member, declared
 * or not, so that an odd one fails nothing: what reads it looks at what it is.
 */
export type Loose<S> = S extends z.ZodMiniArray
  ? readonly unknown[]
  : S extends Resource<infer Key, z.core.$ZodShape>
    ? // An object that is not a resource matches too, and names no key.
      string extends Key
      ? JsonObject
      : JsonObject & { readonly [K in Key]: string }
    : JsonObject;

/**
 * Checks that a value has the loose form of a contract schema: the run-time half of the type `Loose`. Returns the
 * member that is missing or of another kind, `data` for the value as a whole, or undefined if nothing is wrong.
 */
export function wrongMember(schema: Schema, value: unknown): string | undefined {
  if (isListSchema(schema)) return Array.isArray(value) ? undefined : 'data';
  if (!isObject(value)) return 'data';
  const key = identifiers.get(schema)?.key;
  if (key === undefined) return undefined;
  const id = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof id === 'string' ? undefined : key;
}

/** True for the schema of a list that comes whole. */
export function isListSchema(schema: Schema): boolean {
  return schema instanceof z.ZodMiniArray;
}

/** Members of members of data: no id of a resource is deeper. */
const deepestId = 4;

/**
 * Returns data with a text in the place of each id that is a number: `id`, `team_id`, `document_id`. A service that
 * numbers its things is read, and not taken for an empty one.
 */
export function withTextIds(value: unknown, depth = 0): unknown {
  if (depth > deepestId) return value;
  if (Array.isArray(value)) return value.map((one) => withTextIds(one, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isNumber = typeof member === 'number' || typeof member === 'bigint';
      return [name, isNumber && /(^|_)id$/.test(name) ? String(member) : withTextIds(member, depth + 1)];
    }),
  );
}

/**
 * Returns the id that a value of a contract schema shows: its own, or that of the first resource among its members;
 * undefined if it shows none.
 */
export function idIn(schema: Schema, value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const members = new Map(Object.entries(value));
  const key = identifiers.get(schema)?.key;
  const id = key === undefined ? undefined : members.get(key);
  if (key !== undefined) return typeof id === 'string' ? id : undefined;
  if (!(schema instanceof z.ZodMiniObject)) return undefined;
  return Object.entries<Schema>(schema.shape)
    .map(([name, member]) => idIn(member, members.get(name)))
    .find((one) => one !== undefined);
}

/**
 * Returns the members of the data that are known to hold no secret, or undefined if the answer has no secret at all.
 */
export function membersWithoutSecret({ data, secrets }: Endpoint): ReadonlySet<string> | undefined {
  if (secrets === undefined) return undefined;
  const declared = data instanceof z.ZodMiniObject ? Object.keys(data.shape) : [];
  return new Set(declared.filter((name) => !secrets.includes(name)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
