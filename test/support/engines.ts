import { join } from 'node:path';
import { onTestFinished, type TestOptions } from 'vitest';
import { migrate, type Schema } from '../../src/database/migrate.ts';
import { type Database, openFile } from '../../src/database/open.ts';
import { createDatabase, needsServer } from './database-server.ts';
import { openServer } from './open-server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A database that several connections can be opened with, each as of a process of its own. */
export interface Place {
  open<T>(): Promise<Database<T>>;
}

/** A database engine that tests run on. */
export interface TestedEngine {
  readonly name: string;
  /** Options of the tests that need it. */
  readonly options: TestOptions;
  /** Creates an empty database, which is removed with the test. */
  create(): Promise<Place>;
}

/** The engines: SQLite always, and PostgreSQL if there is a server. */
export const engines: readonly TestedEngine[] = [
  {
    name: 'SQLite',
    options: {},
    async create() {
      const file = join(temporaryDirectory('sqlite'), 'test.db');
      return { open: () => closing(openFile(file, { isShared: true, user: 'This test' })) };
    },
  },
  {
    name: 'PostgreSQL',
    options: needsServer,
    async create() {
      const { url, drop } = await createDatabase();
      onTestFinished(drop);
      return { open: () => closing(openServer(url, 'short')) };
    },
  },
];

/** Creates a database with a schema, and opens it. */
export async function openNew<T>(engine: TestedEngine, schema: Schema): Promise<Database<T>> {
  const database = await (await engine.create()).open<T>();
  await migrate(database, schema);
  return database;
}

/** Closes a database with the test, before it is removed. */
async function closing<T>(opening: Promise<Database<T>> | Database<T>): Promise<Database<T>> {
  const database = await opening;
  onTestFinished(() => database.close());
  return database;
}
