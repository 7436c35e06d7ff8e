import * as z from 'zod/mini';
import type { Schema } from './schema.ts';

/** What the contract says of a member of a resource. */
export interface MemberCheck {
  /** True for a value that it may have; for undefined if it may be left out. */
  accepts(value: unknown): boolean;
  /** True if its values are listed one by one. */
  readonly isEnumeration: boolean;
  /** Its own members, of an object that the contract describes. */
  readonly members: ReadonlyMap<string, MemberCheck>;
}

/** Returns the members of an object schema, by their names. */
export function memberChecks(schema: Schema): ReadonlyMap<string, MemberCheck> {
  const members = schema instanceof z.ZodMiniObject ? Object.entries<Schema>(schema.shape) : [];
  return new Map(
    members.map(([name, member]) => [
      name,
      {
        accepts: (value) => z.safeParse(member, value).success,
        isEnumeration: member instanceof z.ZodMiniEnum,
        members: memberChecks(member),
      },
    ]),
  );
}
