import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  migrate,
  NewerSchema,
  OlderSchema,
  type Schema,
  schemaState,
  statementsForBoth,
} from '../../src/database/migrate.ts';
import { newDatabase } from '../support/engines.ts';

interface Tables {
  notes: { id: number; words: string; more?: string | null };
}

const first: Schema = {
  create: statementsForBoth('create table notes (id integer primary key, words text not null)'),
  migrations: { '001_notes': undefined },
};
const second: Schema = {
  create: statementsForBoth('create table notes (id integer primary key, words text not null, more text)'),
  migrations: {
    ...first.migrations,
    '002_more': statementsForBoth("alter table notes add more text;\nupdate notes set more = words || '!'"),
  },
};

describe('a schema', () => {
  it('is created once by several that start at the same time', async () => {
    const place = await newDatabase();
    const databases = await Promise.all([place.open<Tables>(), place.open<Tables>(), place.open<Tables>()]);
    expect(await Promise.all(databases.map((one) => schemaState(one, second)))).toEqual([
      'none',
      'none',
      'none',
    ]);
    await Promise.all(databases.map((one) => migrate(one, second)));
    expect(await Promise.all(databases.map((one) => schemaState(one, second)))).toEqual([
      'newest',
      'newest',
      'newest',
    ]);
  });

  it('is migrated to the newest version by one of several processes, with its data', async () => {
    const place = await newDatabase();
    const databases = [await place.open<Tables>(), await place.open<Tables>()] as const;
    const [{ db }] = databases;
    await migrate(databases[0], first);
    await db.insertInto('notes').values({ id: 1, words: 'hello' }).execute();
    expect(await schemaState(databases[1], second)).toBe('older');
    await Promise.all(databases.map((one) => migrate(one, second)));
    expect(await db.selectFrom('notes').selectAll().execute()).toEqual([
      { id: 1, words: 'hello', more: 'hello!' },
    ]);
  });

  it('runs its final step in each transaction that migrates', async () => {
    const database = await (await newDatabase()).open<Tables>();
    const marked = (schema: Schema, words: string): Schema => ({
      ...schema,
      after: async (transaction) =>
        void (await sql`insert into notes (id, words) values (${words.length}, ${words})`.execute(
          transaction,
        )),
    });
    for (const [schema, words] of [
      [first, 'a'],
      [first, 'bb'],
      [second, 'ccc'],
    ] as const)
      await migrate(database, marked(schema, words));
    const notes = await database.db.selectFrom('notes').select('words').orderBy('id').execute();
    expect(notes.map(({ words }) => words)).toEqual(['a', 'ccc']);
  });

  it('stays as it was if a migration fails', async () => {
    const database = await (await newDatabase()).open<Tables>();
    await migrate(database, first);
    const failing: Schema = {
      ...second,
      migrations: {
        ...second.migrations,
        '003_none': statementsForBoth('create table none (id integer);\nselect nothing'),
      },
    };
    await expect(migrate(database, failing)).rejects.toMatchObject({ name: 'DatabaseError' });
    expect([await database.hasTable('none'), await schemaState(database, second)]).toEqual([false, 'older']);
    await migrate(database, second);
    expect(await schemaState(database, failing)).toBe('older');
  });

  it('leaves nothing behind if its creation fails', async () => {
    const database = await (await newDatabase()).open<Tables>();
    const failing: Schema = {
      ...first,
      create: statementsForBoth('create table notes (id integer);\nselect nothing'),
    };
    await expect(migrate(database, failing)).rejects.toMatchObject({ name: 'DatabaseError' });
    expect([await database.hasTable('notes'), await schemaState(database, first)]).toEqual([false, 'none']);
    await migrate(database, first);
  });

  it('of a newer version is refused', async () => {
    const database = await (await newDatabase()).open<Tables>();
    await migrate(database, second);
    await expect(schemaState(database, first)).rejects.toBeInstanceOf(NewerSchema);
    await expect(migrate(database, first)).rejects.toBeInstanceOf(NewerSchema);
  });

  it('that lacks a migration of earlier versions is refused', async () => {
    const database = await (await newDatabase()).open<Tables>();
    await migrate(database, first);
    const later: Schema = { ...second, migrations: { '001_notes': undefined, '002_more': undefined } };
    await expect(schemaState(database, later)).rejects.toBeInstanceOf(OlderSchema);
    await expect(migrate(database, later)).rejects.toBeInstanceOf(OlderSchema);
  });
});
