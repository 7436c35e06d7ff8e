import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../database/open.ts';
import type { Tables } from './tables.ts';

/** The advisory locks of the sandbox in PostgreSQL, held until the transaction ends. 1 is the lock of migrations. */
export const locks = {
  /** Moving a file into place with its row (shared); removing files without a row (exclusive). */
  files: 2,
  /** Assigning numbers to messages. */
  messages: 3,
  /** Deleting an API key: the caller's own key must still exist then. */
  keys: 4,
  /** Changing state that all instances share, such as the clock. */
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
 * Keeps a transaction and its locks alive during work on files: PostgreSQL ends a session that runs no statement for a
 * minute.
 * @throws DatabaseError if the transaction has ended
 */
export async function keepLocks(
  { engine }: Pick<Locking, 'engine'>,
  transaction: Transaction<Tables>,
): Promise<void> {
  if (engine === 'postgres') await sql`select 1`.execute(transaction);
}
