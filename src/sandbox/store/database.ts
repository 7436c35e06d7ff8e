import { Kysely, PostgresDialect } from 'kysely';
import { startWorker } from './database-worker.ts';
import { migrateToLatest } from './migrations.ts';
import { oneSession } from './one-session.ts';
import type { Tables } from './tables.ts';

/**
 * Opens a cluster in a worker thread, with the newest schema; an empty directory is made a cluster. `destroy`
 * ends the thread.
 * @throws DatabaseError if the cluster can't be opened
 * @throws Error if its schema can't be brought to the newest step
 */
export async function openDatabase(cluster: string): Promise<Kysely<Tables>> {
  const worker = await startWorker(cluster);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: oneSession(worker) }) });
  try {
    await migrateToLatest(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
