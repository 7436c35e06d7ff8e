import { Failure } from '../../lib/errors.ts';
import { ValueError } from '../../lib/parse.ts';
import type { FieldKind, Fields, Row } from '../../output/fields.ts';
import { fieldMeant, fieldsHint, isAnyMember, isDeclared, memberName, valueAt } from '../../output/values.ts';

/** A member of a row by which rows are chosen or ordered. */
export interface Member {
  /** Its name, or the path to it. */
  readonly name: string;
  /** Undefined if nobody declared it. */
  readonly kind: FieldKind | undefined;
  /** True if it was typed with a dot before it. */
  readonly isAny: boolean;
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
    isAny,
    valueIn: (row) => valueAt(row, name),
  };
}

/** Returns those members that no answer of the API has by the contract. */
export async function unknownIn(members: readonly (Member | undefined)[]): Promise<readonly Member[]> {
  const undeclared = members.flatMap((member) => (member && member.kind === undefined ? [member] : []));
  if (undeclared.length === 0) return [];
  const { isKnownPath } = await import('../../contract/known-path.ts');
  return undeclared.filter(({ name }) => !isKnownPath(name));
}

/** Returns the members that none of the rows has. */
export function lacking(members: readonly Member[], rows: readonly Row[]): readonly Member[] {
  return members.filter((member) => rows.every((row) => member.valueIn(row) === undefined));
}

/** Returns the failure for a member that no row has. */
export function notThere({ name, isAny }: Member): Failure {
  const some = isAny ? '' : ` If only some rows have it, write .${name}.`;
  return new Failure('usage', `No row read so far has a member "${name}".`, {
    hint: `List the members with -o json.${some}`,
  });
}

function noField(fields: Fields, name: string): string {
  const any = `Write .${name} for a member that is none of them`;
  return `must name a field, not "${name}". ${fieldMeant(name, fields)}${fieldsHint(fields)} ${any}`;
}
