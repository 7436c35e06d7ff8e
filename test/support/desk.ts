import { createDatabase, type TestDatabase } from './database-server.ts';
import { migrateDesk } from './desk-roles.ts';

/** Creates a database with the tables of a desk. */
export async function createDesk(): Promise<TestDatabase> {
  const database = await createDatabase();
  await migrateDesk(database.url);
  return database;
}
