import * as z from 'zod/mini';
import type { ObjectSchema } from '../contract/endpoint.ts';
import { ownMember } from '../lib/json-object.ts';

/**
 * Returns a row as the API shows it: the members that a schema declares, with times in ISO 8601. A null is omitted,
 * unless the schema allows null and requires the member.
 */
export function shownRow<S extends ObjectSchema>(schema: S, row: object): z.output<S> {
  const members = Object.entries(row).flatMap(([name, value]: [string, unknown]) => {
    const member = ownMember(schema.shape, name);
    if (!member || (value === null && !(member instanceof z.ZodMiniNullable))) return [];
    return [[name, value instanceof Date ? value.toISOString() : value] as const];
  });
  return z.parse(schema, Object.fromEntries(members));
}
