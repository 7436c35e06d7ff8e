import { randomBytes, randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * The service that a database holds. It has the row of a table that is none of `tables`: it stays where the service
 * is emptied, and no export has it.
 */
export interface ServiceRow {
  /** Tells one database from another. */
  readonly id: string;
  /** Access tokens and pairing codes are made from it. */
  readonly signingKey: Uint8Array;
}

/** Bytes: as long as the hash that is made with it (RFC 7518, 3.2). */
export const signingKeyLength = 32;

interface Stored {
  readonly id: string;
  readonly signing_key: Uint8Array;
}

/**
 * Returns the row of the service; a new database is given one.
 * @param earlierKey returns the signing key of a service that kept it elsewhere, if it did; called where there is no row
 */
export async function openServiceRow(
  db: Kysely<Tables>,
  earlierKey: () => Uint8Array | undefined = () => undefined,
): Promise<ServiceRow> {
  return (await readRow(db)) ?? (await makeRow(db, earlierKey() ?? randomBytes(signingKeyLength)));
}

async function makeRow(db: Kysely<Tables>, signingKey: Uint8Array): Promise<ServiceRow> {
  // Another process that serves the database may be faster: its row counts then.
  await sql`insert into service (id, signing_key) values (${randomUUID()}, ${signingKey}) on conflict do nothing`.execute(
    db,
  );
  const made = await readRow(db);
  if (!made) throw new TypeError('the service has no row');
  return made;
}

async function readRow(db: Kysely<Tables>): Promise<ServiceRow | undefined> {
  const { rows } = await sql<Stored>`select id, signing_key from service`.execute(db);
  const row = rows[0];
  return row && { id: row.id, signingKey: row.signing_key };
}
