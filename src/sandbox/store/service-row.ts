import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** The service in a database. Its row stays when the service is emptied. */
export interface ServiceRow {
  /** Distinguishes databases. */
  readonly id: string;
  /** Access tokens and pairing codes are derived from it. */
  readonly signingKey: Uint8Array;
}

/** Bytes: as long as the hash computed with it (RFC 7518, 3.2). */
const signingKeyLength = 32;

/** Returns the row of the service; creates it in a new database. */
export async function openServiceRow(db: Kysely<Tables>): Promise<ServiceRow> {
  const found = await readRow(db);
  if (found) return found;
  // Another process that serves the database may be faster: then its row is used.
  await db
    .insertInto('service')
    .values({ id: randomUUID(), signing_key: randomBytes(signingKeyLength) })
    .onConflict((same) => same.doNothing())
    .execute();
  const made = await readRow(db);
  if (!made) throw new TypeError('the service has no row');
  return made;
}

async function readRow(db: Kysely<Tables>): Promise<ServiceRow | undefined> {
  const row = await db.selectFrom('service').select(['id', 'signing_key']).executeTakeFirst();
  return row && { id: row.id, signingKey: row.signing_key };
}
