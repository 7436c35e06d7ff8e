import { migrateServerDatabase } from '../../src/database/server-database.ts';
import { deskSchema } from '../../src/desk/schema.ts';
import { createDatabase, type TestDatabase } from './database-server.ts';

/** Creates a database with the tables of a desk. */
export async function createDesk(): Promise<TestDatabase> {
  const database = await createDatabase();
  await migrateServerDatabase({ url: new URL(database.url) }, deskSchema);
  return database;
}
