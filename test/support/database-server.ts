import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { needing } from './needing.ts';
import { databaseOf, holdAt, runAt } from './statements.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * The address of a PostgreSQL server without a database name, with a user who may create databases:
     * `postgres://postgres@127.0.0.1:5432`. Empty if these tests have no server.
     */
    testServer: string;
    /** The prefix of the names of their databases, which are removed with the server or after the last test. */
    testDatabases: string;
  }
}

/** The address of the test server, or undefined if there is none. */
export const testServer = inject('testServer') || undefined;

/** Marks tests that need a PostgreSQL server, in a folder that runs on both engines. */
export const needsServer = needing('PostgreSQL (npm run test:outer starts one)', testServer !== undefined);

export interface TestDatabase {
  readonly url: string;
  run(statement: string): Promise<readonly Record<string, unknown>[]>;
  /** Runs a statement in a transaction that stays open, with its locks, until the returned function is called. */
  hold(statement: string): Promise<() => Promise<void>>;
  /** Ends all its sessions and drops it. */
  drop(): Promise<void>;
}

/** Creates an empty database on the test server. */
export async function createDatabase(encoding = "encoding 'UTF8' locale 'C.UTF-8'"): Promise<TestDatabase> {
  const name = `${inject('testDatabases')}${randomUUID().replaceAll('-', '')}`;
  await runOn('postgres', `create database ${name} template template0 ${encoding}`);
  return {
    url: urlOf(name),
    run: (statement) => runOn(name, statement),
    hold: (statement) => holdAt(urlOf(name), statement),
    drop: async () => void (await runOn('postgres', `drop database ${name} with (force)`)),
  };
}

function urlOf(database: string): string {
  if (testServer === undefined) throw new Error('BOTCTL_TEST_DATABASE names no server');
  return databaseOf(testServer, database);
}

function runOn(database: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  return runAt(urlOf(database), statement);
}
