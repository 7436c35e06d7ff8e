import { exactJson } from '../../lib/exact-json.ts';
import { flagOf, ValueError } from '../../lib/parse.ts';
import { fold } from '../../lib/text/compare.ts';
import { parseTime } from '../../lib/time.ts';
import type { Fields, Row } from '../../output/fields.ts';
import { isDeclared, isEmpty } from '../../output/values.ts';
import { isNumeric, type Member, memberOf } from './field-path.ts';

/** The order of rows. */
export interface Order {
  readonly member: Member;
  readonly isDescending: boolean;
}

/**
 * Parses the value of `--sort` for a list with these fields: `name`, `created_at:desc`.
 * @throws ValueError
 */
export function parseOrder(raw: string, fields: Fields): Order {
  const [, typed = '', direction = 'asc'] = /^([^:]*)(?::(.*))?$/s.exec(raw) ?? [];
  const [, turned = ''] = /^-(.+)$/.exec(raw) ?? [];
  if (isDeclared(fields, turned)) throw new ValueError(`must be ${turned}:desc, not "${raw}"`);
  if (direction !== 'asc' && direction !== 'desc') {
    throw new ValueError(`must be FIELD, FIELD:asc or FIELD:desc, not "${raw}"`);
  }
  return { member: memberOf(fields, typed.trim()), isDescending: direction === 'desc' };
}

/**
 * Sorts rows: numbers and times by value, before text; text ignoring case and accents; rows without the member last,
 * ascending or descending. The sort is stable.
 */
export function sorted(rows: readonly Row[], { member, isDescending }: Order): readonly Row[] {
  const sign = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, key: keyOf(member.valueIn(row), member.kind) }))
    .sort((a, b) => {
      if (a.key === undefined || b.key === undefined) {
        return Number(a.key === undefined) - Number(b.key === undefined);
      }
      return sign * compare(a.key, b.key);
    })
    .map(({ row }) => row);
}

type Key = number | string;

function compare(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the sort key of a value, or undefined if the value is empty. */
function keyOf(value: unknown, kind: Member['kind']): Key | undefined {
  if (isEmpty(value)) return undefined;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return Number(value);
  if (typeof value === 'object') return exactJson(value);
  const text = String(value);
  return sizeOf(text, kind) ?? fold(text);
}

/** Returns the number by which a text is sorted, by the kind of its field, or undefined if it has none. */
function sizeOf(text: string, kind: Member['kind']): number | undefined {
  if (kind === 'time' || kind === undefined) return parseTime(text);
  if (kind === 'flag') {
    const flag = flagOf(text);
    return flag === undefined ? undefined : Number(flag);
  }
  if (!isNumeric(kind)) return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}
