import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { migrateServerDatabase } from '../../src/database/server-database.ts';
import { deskSchema, sessionBegin } from '../../src/desk/schema.ts';
import type { TestDatabase } from './database-server.ts';
import { runAt } from './statements.ts';

/** Creates the tables of a desk in a database, as `desk migrate` does. */
export async function migrateDesk(url: string): Promise<void> {
  await migrateServerDatabase({ url: new URL(url) }, deskSchema, sessionBegin);
}

/** Returns the address of a database for another user. */
export function addressFor(url: string, user: string): string {
  const address = new URL(url);
  address.username = user;
  address.password = '';
  return address.href;
}

/** Creates a user with read-only access to a desk, until the test ends. Returns the address for that user. */
export async function readerOf({ url, run }: Pick<TestDatabase, 'url' | 'run'>): Promise<string> {
  const role = `reader_${randomUUID().replaceAll('-', '')}`;
  await run(`create role ${role} login; grant select on all tables in schema public to ${role}`);
  onTestFinished(async () => void (await run(`drop owned by ${role}; drop role ${role}`)));
  return addressFor(url, role);
}

/**
 * Inserts an event of the history.
 * @param more further columns with their values as SQL
 */
export function insertEvent(url: string, more: Readonly<Record<string, string>> = {}) {
  const columns = {
    id: `'${randomUUID()}'`,
    origin: "'https://a.example'",
    device: "'d1'",
    event: "'paired'",
    actor: "'Ana'",
    host: "'desk-1'",
    ...more,
  };
  return runAt(
    url,
    `insert into history (${Object.keys(columns)}) values (${Object.values(columns)}) returning *`,
  );
}

/** Inserts a record of the device book. */
export function insertRecord(url: string, record: object, more: Readonly<Record<string, string>> = {}) {
  const columns = {
    id: `'${randomUUID()}'`,
    origin: "'https://a.example'",
    record: `'${JSON.stringify(record)}'`,
    actor: "'Ana'",
    host: "'desk-1'",
    ...more,
  };
  return runAt(
    url,
    `insert into book_records (${Object.keys(columns)}) values (${Object.values(columns)}) returning *`,
  );
}
