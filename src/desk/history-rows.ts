import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import * as z from 'zod/mini';
import { type EventOfDevice, type HistoryQuery, maxEvents } from './device-history-lines.ts';
import type { DeskTables } from './tables.ts';

/** Characters of a text that are read. Anyone with write access may have stored anything. */
const maxText = 300;

const text = z.string();

/** A row of the table `history`. */
const historyRow = z.object({
  place: z.number(),
  id: text,
  device: text,
  event: text,
  at: z.date(),
  actor: text,
  host: text,
  db_user: text,
  reason: z.catch(z.nullable(text), null),
  lost_at: z.catch(z.nullable(z.date()), null),
  phone_number: z.catch(z.nullable(text), null),
});

/** The place in the list of all events, newest first, after which a page begins. */
export interface PageStart {
  readonly at: Date;
  readonly place: number;
}

/** A page of events. */
export interface EventPage {
  readonly events: readonly EventOfDevice[];
  /** The start of the next page; undefined if there is none. */
  readonly next: PageStart | undefined;
}

/**
 * Returns a page of the chosen events, the newest first.
 * @throws DatabaseError
 */
export async function readEvents(
  db: Kysely<DeskTables>,
  origin: string,
  { ids, since }: HistoryQuery,
  { start, size }: { readonly start?: PageStart | undefined; readonly size: number },
): Promise<EventPage> {
  const cut = (column: 'device' | 'event' | 'actor' | 'host' | 'db_user' | 'reason' | 'phone_number') =>
    sql<string>`left(${sql.ref(column)}, ${sql.lit(maxText)})`.as(column);
  let query = db
    .selectFrom('history')
    .select(['place', 'id', 'at', 'lost_at'])
    .select([cut('device'), cut('event'), cut('actor'), cut('host'), cut('db_user')])
    .select([cut('reason'), cut('phone_number')])
    .where('origin', '=', origin);
  const [only, ...others] = ids ?? [];
  if (ids && others.length === 0) query = query.where('device', '=', only ?? '');
  else if (ids) query = query.where(sql<boolean>`device = any(${ids})`);
  if (since !== undefined) query = query.where('at', '>=', new Date(since));
  if (start) query = query.where(sql<boolean>`(at, place) < (${start.at}, ${start.place})`);
  const rows = await query.orderBy('at', 'desc').orderBy('place', 'desc').limit(size).execute();
  const last = z.safeParse(z.object({ at: z.date(), place: z.number() }), rows.at(-1));
  return {
    events: rows.flatMap((row) => eventOf(row) ?? []),
    next: rows.length < size || !last.success ? undefined : last.data,
  };
}

/**
 * Returns the last events of a device, the oldest first.
 * @throws DatabaseError
 */
export async function lastEvents(
  db: Kysely<DeskTables>,
  origin: string,
  id: string,
): Promise<readonly EventOfDevice[]> {
  return (await readEvents(db, origin, { ids: [id] }, { size: maxEvents })).events.toReversed();
}

/**
 * Returns the number of the advisory lock under which it is decided whether an event of a device is news: a negative one, so that it
 * is none of the others.
 */
export function historyLock(origin: string, id: string): number {
  return createHash('sha256').update(`${origin}\n${id}`).digest().readInt32BE(0) | -0x80000000;
}

/** Returns the event of a row; undefined if it can't be read. */
function eventOf(row: unknown): EventOfDevice | undefined {
  const { success, data } = z.safeParse(historyRow, row);
  if (!success) return undefined;
  return {
    id: data.id,
    deviceId: data.device,
    at: data.at.toISOString(),
    event: data.event,
    by: data.actor,
    from: data.host,
    dbUser: data.db_user,
    reason: data.reason ?? undefined,
    lostAt: data.lost_at?.toISOString(),
    phoneNumber: data.phone_number ?? undefined,
  };
}
