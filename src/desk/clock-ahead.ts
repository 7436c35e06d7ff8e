import type { Database } from '../database/open.ts';
import type { DeskTables } from './tables.ts';

/**
 * Returns how far the clock of a database is ahead of this machine's, in milliseconds. It assumes that the database
 * reads its clock halfway between request and response.
 * @param here returns milliseconds since 1970 by the clock of this machine
 * @throws DatabaseError
 */
export async function clockAhead({ db, now }: Database<DeskTables>, here: () => number): Promise<number> {
  const asked = here();
  const server = await db.selectNoFrom(now.as('now')).executeTakeFirstOrThrow();
  return Math.round(server.now - (asked + here()) / 2);
}
