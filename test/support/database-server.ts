import { randomUUID } from 'node:crypto';
import pg from 'pg';

/**
 * The address of a PostgreSQL server of the tests, by its user that may make databases, without the name of a database at
 * its end, or undefined if there is none: `postgres://postgres@127.0.0.1:5432`.
 */
export const testServer = process.env.BOTCTL_TEST_DATABASE || undefined;

/** A database of a test. */
export interface TestDatabase {
  readonly url: string;
  /** Runs a statement in it. */
  run(statement: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends all sessions of it, and removes it. */
  drop(): Promise<void>;
}

/** Makes an empty database on the server of the tests. */
export async function createDatabase(encoding = "encoding 'UTF8' locale 'C.UTF-8'"): Promise<TestDatabase> {
  const name = `botctl_test_${randomUUID().replaceAll('-', '')}`;
  await runOn('postgres', `create database ${name} template template0 ${encoding}`);
  return {
    url: urlOf(name),
    run: (statement) => runOn(name, statement),
    drop: async () => void (await runOn('postgres', `drop database ${name} with (force)`)),
  };
}

function urlOf(database: string): string {
  if (testServer === undefined) throw new Error('BOTCTL_TEST_DATABASE names no server');
  const url = new URL(testServer);
  url.pathname = `/${database}`;
  return url.href;
}

async function runOn(database: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
