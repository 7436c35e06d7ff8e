import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
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
  await db
    .insertInto('service')
    .values({ id: randomUUID(), signing_key: signingKey })
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
