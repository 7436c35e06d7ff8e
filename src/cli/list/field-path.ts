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

/** A member of a row, for filtering or sorting. */
export interface Member {
  /** Its name, or the path to it. */
  readonly name: string;
  /** Undefined if it is not declared. */
  readonly kind: FieldKind | undefined;
  valueIn(row: Row): unknown;
}

/**
 * Finds a member by its typed name: a declared field or, with a dot before the name, any member that the service
 * returns. The kind of an undeclared member is unknown.
 * @throws ValueError that suggests a similar field
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
  const any = `For a field that is not in this list, put a dot before its name: .${name}`;
  return `must name a field, not "${name}". ${similarFieldHint(name, fields)}${fieldsHint(fields)} ${any}`;
}

/** Returns true if the values of a kind of field are compared as numbers. */
export function isNumeric(kind: Member['kind']): boolean {
  return kind === 'number' || kind === 'bytes' || kind === 'seconds';
}
