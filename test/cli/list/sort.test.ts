import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Order, parseOrder, sorted } from '../../../src/cli/list/sort.ts';
import { ValueError } from '../../../src/lib/parse.ts';
import type { Fields } from '../../../src/output/fields.ts';

const fields: Fields = [
  { name: 'name' },
  { name: 'published', kind: 'flag' },
  { name: 'chars', kind: 'number' },
  { name: 'created_at', kind: 'time' },
  { name: 'elapsed', kind: 'seconds' },
];

/** Parses an order as typed. */
function order(typed: string): Order {
  return parseOrder(typed, fields);
}

/** Returns the values of a member after sorting in this order. */
function valuesAfter(typed: string, values: readonly unknown[]): readonly unknown[] {
  const { member } = order(typed);
  const rows = values.map((value) => (value === undefined ? {} : { [member.name]: value }));
  return sorted(rows, order(typed)).map((row) => row[member.name]);
}

describe('--sort', () => {
  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['name', ['b', 'Ä', 'c', 'a'], ['Ä', 'a', 'b', 'c']],
    ['name:asc', ['Zoë', 'zob'], ['zob', 'Zoë']],
    ['name:desc', ['b', 'a', 'C'], ['C', 'b', 'a']],
    ['chars', [10, 9, -1, 100, 9.5], [-1, 9, 9.5, 10, 100]],
    ['chars', ['10', 9, '8'], ['8', 9, '10']],
    ['chars', ['many', 9], [9, 'many']],
    ['elapsed', ['10', 9, '8'], ['8', 9, '10']],
    ['published', [true, false, 'no', 'yes'], [false, 'no', true, 'yes']],
    [
      'created_at',
      ['2026-01-02T00:00:00+03:00', '2026-01-01T22:00:00Z', '2025-12-31T00:00:00Z'],
      ['2025-12-31T00:00:00Z', '2026-01-02T00:00:00+03:00', '2026-01-01T22:00:00Z'],
    ],
    ['.extra', [3, 'x', 1, true], [1, true, 3, 'x']],
    ['name', [undefined, 'b', null, 'a', ''], ['a', 'b', undefined, null, '']],
    ['name:desc', [undefined, 'b', null, 'a', ''], ['b', 'a', undefined, null, '']],
  ])('%s orders %j as %j', (typed, values, expected) => {
    expect(valuesAfter(typed, values)).toEqual(expected);
  });

  it.each([
    ['nmae', 'must name a field, not "nmae". Did you mean name? The fields are'],
    ['-name', 'must be name:desc, not "-name"'],
    ['name:down', 'must be FIELD, FIELD:asc or FIELD:desc, not "name:down"'],
    ['name:', 'must be FIELD, FIELD:asc or FIELD:desc, not "name:"'],
    [':desc', 'must begin with the name of a field'],
  ])('refuses %s', (typed, message) => {
    expect(() => order(typed)).toThrow(ValueError);
    expect(() => order(typed)).toThrow(message);
  });

  const anyRows = fc
    .array(
      fc.record(
        { name: fc.constantFrom('a', 'A', 'b', 'ß', null), chars: fc.oneof(fc.integer(), fc.string()) },
        { requiredKeys: [] },
      ),
    )
    .map((rows) => rows.map((row, number) => ({ ...row, number })));

  it('loses no row, is stable, and keeps sorted rows in order', () => {
    fc.assert(
      fc.property(anyRows, fc.constantFrom('name', 'name:desc', 'chars', 'chars:desc'), (rows, typed) => {
        const once = sorted(rows, order(typed));
        expect(new Set(once)).toEqual(new Set(rows));
        expect(sorted(once, order(typed))).toEqual(once);
        const { member } = order(typed);
        once.forEach((row, at) => {
          const next = once[at + 1];
          if (!next || member.valueIn(row) !== member.valueIn(next)) return;
          expect(Number(row.number)).toBeLessThan(Number(next.number));
        });
      }),
    );
  });

  it('in reverse returns the present values in reverse order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), (numbers) => {
        expect(valuesAfter('chars:desc', numbers)).toEqual(valuesAfter('chars', numbers).toReversed());
      }),
    );
  });
});
