import fc from 'fast-check';
import type { ColumnType } from 'kysely';
import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../src/database/error.ts';
import { type Schema, statementsForBoth } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/open.ts';
import { openNew } from '../support/engines.ts';
import '../support/properties.ts';

interface Values {
  words: string | null;
  id: string | null;
  flag: boolean | null;
  at: Date | null;
  data: ColumnType<unknown, string | null, string | null>;
  bytes: Uint8Array | null;
  count: number | null;
  small: number | null;
  ratio: number | null;
}

interface Tables {
  samples: Values & { place: ColumnType<number, number | undefined, number> };
}

const schema: Schema = {
  create:
    statementsForBoth(`create table samples (place {counter}, words text, id {uuid}, flag boolean, at {time}, data {json},
    bytes {blob}, count {bigint}, small integer, ratio {double})`),
  migrations: { '001_samples': undefined },
};

/** Generates texts that databases can store: whole characters, none of them 0. */
const storable = fc
  .string({ unit: 'binary' })
  .map((text) => text.replaceAll('\0', '').toWellFormed?.() ?? text.replaceAll('\0', ''));

const sample = fc.record({
  words: fc.option(storable),
  id: fc.option(fc.uuid()),
  flag: fc.option(fc.boolean()),
  at: fc.option(fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })),
  data: fc.option(
    fc
      .jsonValue({ noUnicodeString: false })
      .filter((value) => !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(value))),
  ),
  bytes: fc.option(fc.uint8Array()),
  count: fc.option(fc.maxSafeInteger()),
  small: fc.option(fc.integer()),
  ratio: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
});

/** Returns the number that a database returns for a value: it has only one zero. */
const stored = (value: unknown): unknown => (Object.is(value, -0) ? 0 : value);

describe('values', () => {
  it('are read as they were written', async () => {
    const { db } = await openNew<Tables>(schema);
    await fc.assert(
      fc.asyncProperty(sample, async ({ data, ...values }) => {
        // SQL null and JSON null are the same in a result.
        const row = { ...values, data: data === null ? null : JSON.stringify(data) };
        const read = await db.insertInto('samples').values(row).returningAll().executeTakeFirstOrThrow();
        const { place, ...again } = { ...read };
        expect(again).toEqual({
          ...values,
          bytes: values.bytes && Buffer.from(values.bytes),
          ratio: stored(values.ratio),
          data: JSON.parse(JSON.stringify(data)),
        });
        const found = db.selectFrom('samples').selectAll().where('place', '=', place);
        expect({ ...(await found.executeTakeFirstOrThrow()) }).toEqual({ ...read });
        await db.updateTable('samples').set(row).where('place', '=', place).execute();
        expect({ ...(await found.executeTakeFirstOrThrow()) }).toEqual({ ...read });
      }),
    );
  });

  const reading = async (column: keyof Values, value: unknown): Promise<unknown> => {
    const { db } = await openNew<Tables>(schema);
    // The parameters of a statement may differ from its types.
    const values = JSON.parse('{ "small": 1 }');
    values[column] = value;
    const row = await db.insertInto('samples').values(values).returning(column).executeTakeFirstOrThrow();
    return row[column];
  };

  it.each([
    ['flag', true, true],
    ['flag', false, false],
    ['words', undefined, null],
    ['count', -0, 0],
    ['ratio', -0, 0],
    ['count', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['count', Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    ['count', 5n, 5],
    ['ratio', 5, 5],
    ['ratio', 5e-324, 5e-324],
    ['words', '5', '5'],
    ['words', 'half \ud83c', 'half \ufffd'],
    ['words', '', ''],
    ['at', new Date(-1), new Date(-1)],
    ['bytes', new Uint8Array(), Buffer.alloc(0)],
    ['bytes', Buffer.from('a\0b'), Buffer.from('a\0b')],
    ['data', JSON.stringify({ a: [1, null, 'x'] }), { a: [1, null, 'x'] }],
    ['data', { a: 1 }, { a: 1 }],
  ] as const)('of the column %s: %o is read as %o', async (column, value, expected) => {
    expect(await reading(column, value)).toEqual(expected);
  });

  it.each([
    ['words', 'a\0b'],
    ['ratio', Number.NaN],
    ['ratio', Number.POSITIVE_INFINITY],
    ['count', Number.NaN],
    ['at', new Date(Number.NaN)],
  ] as const)('that cannot be stored are refused: %s %o', async (column, value) => {
    await expect(reading(column, value)).rejects.toBeInstanceOf(DatabaseError);
  });

  it('of expressions are numbers', async () => {
    const { db }: Database<Tables> = await openNew<Tables>(schema);
    for (const words of ['a', 'b']) await db.insertInto('samples').values({ words, count: 2 }).execute();
    const { sum, rows } = await db
      .selectFrom('samples')
      .select(({ fn }) => [fn.sum<number>('count').as('sum'), fn.countAll<number>().as('rows')])
      .executeTakeFirstOrThrow();
    expect([Number(sum), rows]).toEqual([4, 2]);
  });
});
