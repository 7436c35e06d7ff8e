import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../database/open.ts';
import type { Tables } from './tables.ts';

/** The advisory locks of the sandbox in PostgreSQL, which transactions hold until they end. 1 is the lock of migrations. */
export const locks = {
  /** Putting a file in its place with its row (shared); removing files without a row (exclusive). */
  files: 2,
  /** Giving messages their numbers. */
  messages: 3,
  /** Deleting an API key, which the key of the caller has to outlive. */
  keys: 4,
  /** Changing what all instances have in common, such as the clock. */
  state: 5,
  /** Changing rows in several statements (shared); emptying the database (exclusive). */
  rows: 6,
} as const;

/** The part of a database that locks need. */
type Locking = Pick<Database<Tables>, 'db' | 'engine' | 'shareLock'>;

/** Runs a transaction that changes rows in several statements. */
export function changeRows<T>(
  database: Pick<Locking, 'db' | 'shareLock'>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return database.db.transaction().execute(async (transaction) => {
    await database.shareLock(transaction, locks.rows);
    return work(transaction);
  });
}

/**
 * Keeps a transaction and its locks while it works on files: PostgreSQL ends a session that runs no statement for a minute.
 * @throws DatabaseError if the transaction is gone
 */
export async function keepLocks(
  { engine }: Pick<Locking, 'engine'>,
  transaction: Transaction<Tables>,
): Promise<void> {
  if (engine === 'postgres') await sql`select 1`.execute(transaction);
}
