import { join } from 'node:path';
import { migrate } from '../../src/database/migrate.ts';
import { type Database, openFile } from '../../src/database/open.ts';
import { schema } from '../../src/sandbox/store/schema.ts';
import type { Tables } from '../../src/sandbox/store/tables.ts';
import { createDatabase, testServer } from './database-server.ts';
import { openServer } from './open-server.ts';

/** Opens an empty sandbox database: on the test server if there is one, else in a file below a directory. */
export async function openTables(directory: string): Promise<Database<Tables>> {
  if (testServer === undefined) {
    const file = join(directory, 'sandbox.db');
    const database = await openFile<Tables>(file, { isShared: false, user: 'This test' });
    await migrate(database, schema);
    return database;
  }
  const { url, drop } = await createDatabase();
  const database = openServer<Tables>(url, 'endless');
  await migrate(database, schema);
  return { ...database, close: () => database.close().then(drop) };
}
