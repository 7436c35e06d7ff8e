import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { migrate, type Schema } from '../../src/database/migrate.ts';
import { type Database, openFile } from '../../src/database/open.ts';
import { createDatabase, testServer } from './database-server.ts';
import { openServer } from './open-server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A database that tests open several times, each connection as a separate process would. */
export interface Place {
  open<T>(): Promise<Database<T>>;
}

/** Creates an empty database that is removed with the test: on SQLite, or in the outer tier on PostgreSQL. */
export const newDatabase = testServer === undefined ? newFile : newOnServer;

/** Creates an empty SQLite file. */
export async function newFile(): Promise<Place> {
  const file = join(temporaryDirectory('sqlite'), 'test.db');
  return { open: () => closing(openFile(file, { isShared: true, user: 'This test' })) };
}

async function newOnServer(): Promise<Place> {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return { open: () => closing(openServer(url, 'short')) };
}

/** Creates a database with a schema, and opens it. */
export async function openNew<T>(schema: Schema): Promise<Database<T>> {
  const database = await (await newDatabase()).open<T>();
  await migrate(database, schema);
  return database;
}

/** Closes a database when the test ends, before it is removed. */
async function closing<T>(opening: Promise<Database<T>> | Database<T>): Promise<Database<T>> {
  const database = await opening;
  onTestFinished(() => database.close());
  return database;
}
