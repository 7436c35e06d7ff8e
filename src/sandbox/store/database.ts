import { Kysely, PostgresDialect } from 'kysely';
import { type DatabaseWorker, startWorker } from './database-worker.ts';
import { freeSpaceOf } from './disk.ts';
import { migrations } from './migrations.ts';
import { oneSession } from './one-session.ts';
import { SessionCount } from './session-count.ts';
import type { Tables } from './tables.ts';

/** Options of opening a database. */
interface DatabaseOptions {
  /** Returns the bytes that are free on its disk; as the system says if not given. */
  readonly freeSpace?: () => number;
  readonly sessions?: SessionCount;
  /** Called before each statement that may change rows, and before each commit; it may throw. */
  readonly onChange?: (sql: string) => void;
  /** Returns false once another process may have the cluster: nothing more is written there then. */
  readonly isOurs?: () => boolean;
}

/**
 * Opens a cluster in a worker thread, with the newest schema; an empty directory is made a cluster. `destroy`
 * ends the thread. Where PostgreSQL gives up, as for a disk that is full, it is opened again by the next statement.
 * @throws DatabaseError if the cluster can't be opened
 * @throws Failure as `loadWasmModule`
 * @throws NewerSchema if a newer botctl made its schema
 * @throws Error if its schema can't be brought to the newest step
 */
export async function openDatabase(
  cluster: string,
  {
    freeSpace = () => freeSpaceOf(cluster),
    sessions = new SessionCount(1),
    onChange = () => undefined,
    isOurs = () => true,
  }: DatabaseOptions = {},
): Promise<Kysely<Tables>> {
  const reopen = (): Promise<DatabaseWorker> => startWorker(cluster);
  const pool = oneSession(await reopen(), { reopen, freeSpace, onChange, isOurs });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sessions.of(pool) }) });
  try {
    await migrations.migrateToLatest(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
