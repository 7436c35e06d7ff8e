import { type Kysely, sql } from 'kysely';
import * as z from 'zod/mini';
import type { DeviceEvent } from './device-history-lines.ts';
import type { DeskTables } from './tables.ts';

const answer = z.object({ oldest: z.number(), known: z.array(z.string()) });

/**
 * Returns the events of a copy that the database lost when it was restored from a backup. Omits events that are older
 * than the retention time of the desk.
 * @param copied the events of a device in the copy, oldest first
 * @param read the last events of the device in the database
 * @throws DatabaseError
 */
export async function missingEvents(
  db: Kysely<DeskTables>,
  copied: readonly DeviceEvent[],
  read: readonly DeviceEvent[],
): Promise<readonly (DeviceEvent & { readonly id: string })[]> {
  const stored = copied.flatMap((event) => {
    const { success, data: id } = z.safeParse(z.uuid(), event.id);
    return success && event.dbUser !== undefined ? [{ ...event, id }] : [];
  });
  const newest = stored.at(-1);
  // All of them are looked up in the database only if the newest one is missing there, or at least 200 others are
  // newer.
  if (newest === undefined || read.some(({ id }) => id === newest.id)) return [];
  const ids = stored.map(({ id }) => id);
  const row = await db
    .selectFrom('desk')
    .select([
      sql`(extract(epoch from clock_timestamp()) * 1000 - keep_ms)::float8`.as('oldest'),
      sql`array(select id::text from history where id = any(${ids}::uuid[]))`.as('known'),
    ])
    .executeTakeFirst();
  const { oldest, known } = z.parse(answer, row);
  return stored.filter(({ id, at }) => Date.parse(at) >= oldest && !known.includes(id));
}
