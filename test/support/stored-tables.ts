import { join } from 'node:path';
import { migrate } from '../../src/database/migrate.ts';
import { type Database, openFile } from '../../src/database/open.ts';
import { schema } from '../../src/sandbox/store/schema.ts';
import type { Tables } from '../../src/sandbox/store/tables.ts';
import { createDatabase, testServer } from './database-server.ts';
import { openServer } from './open-server.ts';

/** Opens an empty database of a sandbox. */
export type OpenTables = (directory: string) => Promise<Database<Tables>>;

/** The engines that a sandbox runs on here: SQLite, and PostgreSQL if the tests have a server. */
export const engines: readonly (readonly [string, OpenTables])[] = [
  ['SQLite', openOnFile],
  ...(testServer === undefined ? [] : [['PostgreSQL', openOnServer] as const]),
];

async function openOnFile(directory: string): Promise<Database<Tables>> {
  const file = join(directory, 'sandbox.db');
  const database = await openFile<Tables>(file, { isShared: false, user: 'This test' });
  await migrate(database, schema);
  return database;
}

async function openOnServer(): Promise<Database<Tables>> {
  const { url, drop } = await createDatabase();
  const database = openServer<Tables>(url, 'endless');
  await migrate(database, schema);
  const close = (): Promise<void> => database.close().then(drop);
  return { ...database, close };
}
