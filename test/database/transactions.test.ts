import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/open.ts';
import { type Counters, counters, openTwice } from '../support/counters.ts';
import { newDatabase, newFile, openNew } from '../support/engines.ts';

const set = (db: Kysely<Counters>, name: string, count: number) =>
  db
    .insertInto('counters')
    .values({ name, count })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ count }))
    .execute();
const countOf = async (db: Kysely<Counters>, name: string): Promise<number | undefined> =>
  (await db.selectFrom('counters').select('count').where('name', '=', name).executeTakeFirst())?.count;
const failure = new Error('the work failed');

describe('a transaction', () => {
  it('is rolled back as a whole if its work fails', async () => {
    const { db } = await openNew<Counters>(counters);
    await set(db, 'a', 1);
    const failing = db.transaction().execute(async (transaction) => {
      await set(transaction, 'a', 2);
      await set(transaction, 'b', 2);
      expect(await countOf(transaction, 'b')).toBe(2);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect([await countOf(db, 'a'), await countOf(db, 'b')]).toEqual([1, undefined]);
  });

  it('is rolled back as a whole if it continues after a failed statement', async () => {
    const { db } = await openNew<Counters>(counters);
    await set(db, 'a', 1);
    const insert = (transaction: Kysely<Counters>, name: string) =>
      transaction.insertInto('counters').values({ name, count: 1 }).execute();
    const ignoring = db.transaction().execute(async (transaction) => {
      await insert(transaction, 'b');
      await insert(transaction, 'a').catch(() => undefined);
    });
    await expect(ignoring).rejects.toMatchObject({ code: '25P02' });
    const goingOn = db.transaction().execute(async (transaction) => {
      await insert(transaction, 'b');
      await insert(transaction, 'a').catch(() => undefined);
      await insert(transaction, 'c');
    });
    await expect(goingOn).rejects.toMatchObject({ code: '25P02' });
    expect([await countOf(db, 'b'), await countOf(db, 'c')]).toEqual([undefined, undefined]);
    await set(db, 'c', 1);
  });

  it('excludes another one that changes the same row', async () => {
    const both = await openTwice();
    await set(both[0].db, 'a', 0);
    const add = ({ db }: Database<Counters>) =>
      db.transaction().execute(async (transaction) => {
        const row = transaction.selectFrom('counters').select('count').where('name', '=', 'a').forUpdate();
        const { count } = await row.executeTakeFirstOrThrow();
        await wait(2);
        await set(transaction, 'a', count + 1);
      });
    await Promise.all(both.flatMap((one) => Array.from({ length: 10 }, () => add(one))));
    expect(await countOf(both[0].db, 'a')).toBe(20);
  });

  it('is invisible to others before its end', async () => {
    const [one, other] = await openTwice();
    await one.db.transaction().execute(async (transaction) => {
      await set(transaction, 'a', 1);
      expect(await countOf(other.db, 'a')).toBeUndefined();
    });
    expect(await countOf(other.db, 'a')).toBe(1);
  });

  it('that only reads runs next to one that writes', async () => {
    const [one, other] = await openTwice();
    await set(one.db, 'a', 1);
    await one.db.transaction().execute(async (transaction) => {
      await set(transaction, 'a', 2);
      const read = await other.db
        .transaction()
        .setAccessMode('read only')
        .execute((reading) => countOf(reading, 'a'));
      expect(read).toBe(1);
    });
  });

  it('holds an advisory lock until its end', async () => {
    const [one, other] = await openTwice();
    const order: string[] = [];
    const locking = async (database: Database<Counters>, name: string) =>
      database.db.transaction().execute(async (transaction) => {
        await database.lock(transaction, 7);
        order.push(`${name} begins`);
        await wait(30);
        order.push(`${name} ends`);
      });
    await Promise.all([locking(one, 'one'), locking(other, 'other')]);
    expect(order[1]?.split(' ')[0]).toBe(order[0]?.split(' ')[0]);
    expect(order[3]?.split(' ')[0]).toBe(order[2]?.split(' ')[0]);
  });

  it('shares an advisory lock with others that share it', async () => {
    const { db, shareLock, lock, tryLock } = await openNew<Counters>(counters);
    await db.transaction().execute(async (transaction) => {
      await shareLock(transaction, 7);
      await lock(transaction, 8);
      expect(await tryLock(transaction, 9)).toBe(true);
      expect(await tryLock(transaction, 9)).toBe(true);
    });
  });

  it('is awaited by the closing of its database', async () => {
    const place = await newDatabase();
    const database = await place.open<Counters>();
    await migrate(database, counters);
    const transaction = database.db.transaction().execute(async (running) => {
      await wait(50);
      await set(running, 'a', 1);
    });
    await wait(10);
    await Promise.all([database.close(), transaction]);
    expect(await countOf((await place.open<Counters>()).db, 'a')).toBe(1);
    await expect(countOf(database.db, 'a')).rejects.toBeInstanceOf(Error);
  });
});

describe('a SQLite file that several processes share', () => {
  it('is committed to once a reader has ended', async () => {
    const [one, other] = await openTwice(newFile);
    await set(one.db, 'a', 1);
    let committed = false;
    await other.db
      .transaction()
      .setAccessMode('read only')
      .execute(async (reading) => {
        expect(await countOf(reading, 'a')).toBe(1);
        void set(one.db, 'a', 2).then(() => {
          committed = true;
        });
        await wait(50);
        expect(committed).toBe(false);
        expect(await countOf(reading, 'a')).toBe(1);
      });
    await expect.poll(() => committed).toBe(true);
    expect(await countOf(other.db, 'a')).toBe(2);
  });

  it('lets timers run while many rows are inserted', async () => {
    const [one] = await openTwice(newFile);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    const begun = performance.now();
    for (let from = 0; from < 40_000; from += 5000) {
      await one.db.transaction().execute(async (transaction) => {
        for (let part = 0; part < 5; part += 1) {
          const rows = Array.from({ length: 1000 }, (_, at) => ({
            name: `row ${from + part * 1000 + at}`,
            count: at,
          }));
          await transaction.insertInto('counters').values(rows).execute();
        }
      });
    }
    const passed = performance.now() - begun;
    clearInterval(timer);
    const { rows } = await sql<{ count: number }>`select count(*) as count from counters`.execute(one.db);
    expect(rows).toEqual([{ count: 40_000 }]);
    expect(ticks).toBeGreaterThan(passed / 200);
  });
});
