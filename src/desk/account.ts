import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../database/open.ts';
import { mayOnlyRead } from './may-not-write.ts';
import { accountLock } from './schema.ts';
import type { DeskTables } from './tables.ts';

/**
 * Returns the account of an API key: a UUID that is the same for all keys that see the same devices. The API has no
 * account id. It lists the caller's keys, and all keys of one list belong to one account. Only an unknown key needs
 * that call.
 * @param siblings returns the ids of the keys that the service lists
 * @returns undefined if no key is known and this user may not store one
 * @throws DatabaseError also if the server accepts no writes at the moment
 */
export async function accountOf(
  database: Database<DeskTables>,
  origin: string,
  keyId: string,
  siblings: () => Promise<readonly string[]>,
): Promise<string | undefined> {
  const known = await find(database.db, origin, [keyId]);
  if (known !== undefined) return known;
  const keys = [keyId, ...(await siblings())];
  try {
    return await database.db.transaction().execute(async (transaction) => {
      // Two keys of one account may be new at the same time.
      await database.lock(transaction, accountLock);
      const account = (await find(transaction, origin, keys)) ?? randomUUID();
      await transaction
        .insertInto('service_keys')
        .values({ origin, key_id: keyId, account })
        .onConflict((conflict) => conflict.columns(['origin', 'key_id']).doNothing())
        .execute();
      return account;
    });
  } catch (error) {
    if (await mayOnlyRead(error, database.db)) return find(database.db, origin, keys);
    throw error;
  }
}

async function find(
  db: Kysely<DeskTables>,
  origin: string,
  keys: readonly string[],
): Promise<string | undefined> {
  const row = await db
    .selectFrom('service_keys')
    .select('account')
    .where('origin', '=', origin)
    .where('key_id', 'in', keys)
    .orderBy('account')
    .executeTakeFirst();
  return row?.account;
}
