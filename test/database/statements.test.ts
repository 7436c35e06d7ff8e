import fc from 'fast-check';
import { type Generated, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { foldForSearch } from '../../src/database/differences.ts';
import type { DatabaseErrorKind } from '../../src/database/error.ts';
import { type Schema, statementsForBoth } from '../../src/database/migrate.ts';
import { openNew } from '../support/engines.ts';
import '../support/properties.ts';

interface Tables {
  owners: { id: string; name: string };
  things: { place: Generated<number>; owner: string | null; name: string; amount: number };
}

const schema: Schema = {
  create: statementsForBoth(
    `create table owners (id {uuid} primary key, name text not null {bytewise} unique);
    create table things (place {counter}, owner {uuid} references owners on delete cascade,
      name text not null {bytewise}, amount integer not null default 0 check (amount >= 0))`,
  ),
  migrations: { '001_things': undefined },
};

const one = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const word = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', '%', '_', '\\', "'", '"', 'é', 'e\u0301', '😀', '\uffee', ' '),
  maxLength: 6,
});

describe('statements', () => {
  const open = () => openNew<Tables>(schema);

  it.each<[DatabaseErrorKind, string]>([
    ['unique', `insert into owners (id, name) values ('${one}', 'b')`],
    ['unique', `insert into owners (id, name) values ('${other}', 'a')`],
    ['unique', `insert into things (place, name) values (100, 'x')`],
    ['foreignKey', `insert into things (owner, name) values ('${other}', 'x')`],
    ['notNull', `insert into things (owner) values ('${one}')`],
    ['check', `insert into things (name, amount) values ('x', -1)`],
    ['other', 'select * from no_such_table'],
  ])('report the kind of an error: %s', async (kind, statement) => {
    const { db } = await open();
    await db.insertInto('owners').values({ id: one, name: 'a' }).execute();
    await db.insertInto('things').values({ place: 100, owner: one, name: 'x', amount: 0 }).execute();
    await expect(sql.raw(statement).execute(db)).rejects.toMatchObject({ name: 'DatabaseError', kind });
    if (!statement.startsWith('insert')) return;
    const returning = sql.raw(`${statement} returning name`).execute(db);
    await expect(returning).rejects.toMatchObject({ name: 'DatabaseError', kind });
  });

  it('delete rows with those that they refer to', async () => {
    const { db } = await open();
    await db.insertInto('owners').values({ id: one, name: 'a' }).execute();
    await db.insertInto('things').values({ owner: one, name: 'x', amount: 1 }).execute();
    const deleted = await db.deleteFrom('owners').executeTakeFirst();
    expect(deleted.numDeletedRows).toBe(1n);
    expect(await db.selectFrom('things').selectAll().execute()).toEqual([]);
  });

  it('find texts by a part, with any characters', async () => {
    const { db, contains } = await open();
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(word, { maxLength: 20 }), word, async (names, part) => {
        await db.deleteFrom('things').execute();
        if (names.length > 0)
          await db
            .insertInto('things')
            .values(names.map((name) => ({ name, amount: 0 })))
            .execute();
        const found = await db
          .selectFrom('things')
          .select('name')
          .where(({ ref }) => contains(ref('name'), part))
          .execute();
        expect(found.map(({ name }) => name).toSorted()).toEqual(
          names.filter((name) => name.includes(part)).toSorted(),
        );
      }),
    );
  });

  it('sort texts by code points, and read their first characters', async () => {
    const { db } = await open();
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(word, { minLength: 1, maxLength: 20 }), async (names) => {
        await db.deleteFrom('things').execute();
        await db
          .insertInto('things')
          .values(names.map((name) => ({ name, amount: 0 })))
          .execute();
        const found = await db
          .selectFrom('things')
          .select(['name', sql<string>`substr(name, 1, 2)`.as('start')])
          .orderBy('name')
          .execute();
        const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(found).toEqual(sorted.map((name) => ({ name, start: [...name].slice(0, 2).join('') })));
      }),
    );
  });

  it('find values in a list of any length', async () => {
    const { db, isIn } = await open();
    const names = ['a', "b'", 'c"', 'd\\', 'e,f', '{g}', 'null', 'NULL', ''];
    await db
      .insertInto('things')
      .values(names.map((name, amount) => ({ name, amount })))
      .execute();
    await db.insertInto('owners').values({ id: one, name: 'a' }).execute();
    const many = Array.from({ length: 50_000 }, (_, at) => `other ${at}`);
    const byName = (list: readonly string[]) =>
      db
        .selectFrom('things')
        .select('name')
        .where(({ ref }) => isIn(ref('name'), list))
        .orderBy('place')
        .execute();
    expect((await byName([...many, ...names])).map(({ name }) => name)).toEqual(names);
    expect(await byName([])).toEqual([]);
    const byAmount = db
      .selectFrom('things')
      .select('name')
      .where(({ ref }) => isIn(ref('amount'), [1, 3, 99]));
    expect(await byAmount.execute()).toEqual([{ name: "b'" }, { name: 'd\\' }]);
    const byId = db
      .selectFrom('owners')
      .select('name')
      .where(({ ref }) => isIn(ref('id'), [one, other]));
    expect(await byId.execute()).toEqual([{ name: 'a' }]);
  });

  it('number rows in the order of insertion, and reuse no number', async () => {
    const { db } = await open();
    const insert = async () =>
      (
        await db
          .insertInto('things')
          .values({ name: 'x', amount: 0 })
          .returning('place')
          .executeTakeFirstOrThrow()
      ).place;
    const first = await insert();
    await db.deleteFrom('things').execute();
    expect(await insert()).toBeGreaterThan(first);
  });

  it('read the time of the database in milliseconds', async () => {
    const { db, now } = await open();
    const { rows } = await sql<{ now: number }>`select ${now} as now, ${now} + 60000 as later`.execute(db);
    expect(Math.abs((rows[0]?.now ?? 0) - Date.now())).toBeLessThan(5000);
    expect(Number.isInteger(rows[0]?.now)).toBe(true);
  });

  it('list the existing tables', async () => {
    const { hasTable } = await open();
    expect([await hasTable('things'), await hasTable('no_such_table')]).toEqual([true, false]);
  });

  it('count the rows that they change', async () => {
    const { db } = await open();
    await db
      .insertInto('things')
      .values(['a', 'b', 'c'].map((name) => ({ name, amount: 0 })))
      .execute();
    const updated = await db
      .updateTable('things')
      .set({ amount: 1 })
      .where('name', '>', 'a')
      .executeTakeFirst();
    expect(updated.numUpdatedRows).toBe(2n);
  });
});

it('a text is folded for a search in the same way in every form', () => {
  expect(foldForSearch('Cafe\u0301')).toBe(foldForSearch('CAFÉ'));
});
