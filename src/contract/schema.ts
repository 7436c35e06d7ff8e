import * as z from 'zod/mini';

/** Any schema of the contract. */
export type Schema = z.core.$ZodType;

/** Identifiers are UUID strings (specification, convention 1). RFC 9562 version bits are not required. */
export const uuid = z.guid();

/** Timestamps are ISO 8601 date-time strings (specification, convention 2). */
export const timestamp = z.iso.datetime({ offset: true });

/** A timestamp in a request, which may omit the seconds. */
export const requestTimestamp = z.union([timestamp, z.iso.datetime({ offset: true, precision: -1 })]);

/** A whole number; counts and quotas are never negative. */
export const count = z.int().check(z.minimum(0));

/** An object with members of any name: zod's own record drops a member named `__proto__`. */
export const openObject = z.unknown().check(({ value, issues }) => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  issues.push({ code: 'invalid_type', expected: 'record', input: value });
});

declare const identifiedBy: unique symbol;

/**
 * An object schema with the name of its identifying member, the only member that the client requires; see `loose.ts`.
 */
export type Resource<Key extends string, Shape extends z.core.$ZodShape> = z.ZodMiniObject<
  Shape,
  z.core.$strict
> & { readonly [identifiedBy]?: Key };

/** The member that identifies a resource, by its schema. */
export const identifiers = z.registry<{ key: string }>();

/**
 * Declares a resource: an object with exactly these members, identified by `key`.
 */
export function resource<Key extends string, Shape extends z.core.$ZodShape & Record<Key, Schema>>(
  key: Key,
  shape: Shape,
): Resource<Key, Shape> {
  const schema = z.strictObject(shape);
  identifiers.add(schema, { key });
  return schema;
}

/** Paging members of a response (specification, Teams and Documents: `meta`; Bots: `pagination`). */
export const paging = z.strictObject({
  page: z.int().check(z.minimum(1)),
  limit: z.int().check(z.minimum(1), z.maximum(100)),
  total: count,
  totalPages: count,
});

/**
 * Paging members of a request. The specification withholds their names; these are the names in responses. Bounds:
 * specification, Limits.
 */
export const pageQuery = {
  page: z.optional(z.int().check(z.minimum(1))),
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
};

/** Data of every delete. */
export const deleted = z.strictObject({ message: z.string() });
