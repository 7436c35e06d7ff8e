import { ValueError } from '../../lib/parse.ts';
import type { FieldKind, Fields, Row } from '../../output/fields.ts';
import {
  fieldsHint,
  isAnyMember,
  isDeclared,
  memberName,
  similarFieldHint,
  valueAt,
} from '../../output/values.ts';

/** A member of a row by which rows are chosen or ordered. */
export interface Member {
  /** Its name, or the path to it. */
  readonly name: string;
  /** Undefined if nobody declared it. */
  readonly kind: FieldKind | undefined;
  valueIn(row: Row): unknown;
}

/**
 * Finds the member that somebody typed: a declared field. A dot before the name takes any member, also one
 * that the service shows and nobody declared; nothing is known of its kind.
 * @throws ValueError that says what was probably meant
 */
export function memberOf(fields: Fields, typed: string): Member {
  const isAny = isAnyMember(typed);
  const name = memberName(typed);
  if (name === '') throw new ValueError('must begin with the name of a field');
  if (!isAny && !isDeclared(fields, name)) throw new ValueError(noField(fields, name));
  const declared = fields.find((field) => field.name === name);
  return {
    name,
    kind: declared && !isAny ? (declared.kind ?? 'text') : undefined,
    valueIn: (row) => valueAt(row, name),
  };
}

function noField(fields: Fields, name: string): string {
  const any = `Write .${name} for a member that is none of them`;
  return `must name a field, not "${name}". ${similarFieldHint(name, fields)}${fieldsHint(fields)} ${any}`;
}
