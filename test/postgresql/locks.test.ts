import { describe, expect, it } from 'vitest';
import { forBoth, migrate, type Schema } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/open.ts';
import { newDatabase } from '../support/engines.ts';

interface Tables {
  counters: { name: string; count: number };
}

const schema: Schema = {
  create: forBoth('create table counters (name text primary key, count integer not null)'),
  migrations: { '001_counters': undefined },
};

/** Opens a new database twice, as two processes do. */
async function openTwice(create = newDatabase): Promise<readonly [Database<Tables>, Database<Tables>]> {
  const place = await create();
  const both = [await place.open<Tables>(), await place.open<Tables>()] as const;
  await migrate(both[0], schema);
  return both;
}

describe('an advisory lock of PostgreSQL', () => {
  it('is not waited for by a transaction that tries, and several may share it', async () => {
    const [one, other] = await openTwice();
    await one.db.transaction().execute(async (mine) => {
      await one.shareLock(mine, 7);
      await other.db.transaction().execute(async (theirs) => {
        await other.shareLock(theirs, 7);
        expect(await other.tryLock(theirs, 7)).toBe(false);
      });
    });
    await one.db.transaction().execute(async (mine) => {
      await one.lock(mine, 7);
      const trying = other.db.transaction().execute((theirs) => other.tryLock(theirs, 7));
      expect(await trying).toBe(false);
    });
  });
});
