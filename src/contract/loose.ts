import * as z from 'zod/mini';
import type { Endpoint } from './endpoint.ts';
import { identifiers, type Resource, type Schema } from './schema.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The part of a response that a caller may rely on, derived from the strict schema: a list is an array, everything else
 * an object, and a resource has its identifying member as a string. No other member, declared or not, is guaranteed, so
 * that an unexpected one causes no failure: code that reads a member checks its type.
 */
export type Loose<S> = S extends z.ZodMiniArray
  ? readonly unknown[]
  : S extends Resource<infer Key, z.core.$ZodShape>
    ? // An object that is not a resource matches too, with `string` as its key.
      string extends Key
      ? JsonObject
      : JsonObject & { readonly [K in Key]: string }
    : JsonObject;

/**
 * Checks at run time that a value has the type `Loose` of a contract schema. Returns the name of the missing or invalid
 * member, `data` for the value as a whole, or undefined if it is valid.
 */
export function wrongMember(schema: Schema, value: unknown): string | undefined {
  if (isListSchema(schema)) return Array.isArray(value) ? undefined : 'data';
  if (!isObject(value)) return 'data';
  const key = identifiers.get(schema)?.key;
  if (key === undefined) return undefined;
  const id = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof id === 'string' ? undefined : key;
}

/** Returns true for the schema of a list without pages. */
export function isListSchema(schema: Schema): boolean {
  return schema instanceof z.ZodMiniArray;
}

/** Maximum depth of members searched for ids: no id of a resource is deeper. */
const deepestId = 4;

/**
 * Returns data with numeric ids (`id`, `team_id`, `document_id`) converted to text, so that a service with numeric ids
 * can be read and does not appear empty.
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
 * Returns the id in a value of a contract schema: its own, or that of the first resource among its members; undefined
 * if there is none.
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
 * Returns the members of the data that are known to contain no secret, or undefined if the response has no secrets.
 */
export function membersWithoutSecret({ data, secrets }: Endpoint): ReadonlySet<string> | undefined {
  if (secrets === undefined) return undefined;
  const declared = data instanceof z.ZodMiniObject ? Object.keys(data.shape) : [];
  return new Set(declared.filter((name) => !secrets.includes(name)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
