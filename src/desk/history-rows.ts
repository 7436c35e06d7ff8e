import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import * as z from 'zod/mini';
import { inChunks } from '../lib/iterables.ts';
import { type EventOfDevice, type HistoryQuery, maxEvents } from './device-history-lines.ts';
import type { DeskTables } from './tables.ts';

/** The maximum number of characters of a text that are read. */
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

/** The position in the list of all events, newest first, after which a page starts. */
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
 * For at most this many devices, the events are looked up one device at a time: an index has the events of each device
 * in order.
 */
const fewDevices = 50;

/** The number of devices whose last events are read with one statement. */
const devicesAtOnce = 100;

/**
 * Returns a page of the selected events, newest first.
 * @throws DatabaseError
 */
export async function readEvents(
  db: Kysely<DeskTables>,
  origin: string,
  { ids, since }: HistoryQuery,
  { start, size }: { readonly start?: PageStart | undefined; readonly size: number },
): Promise<EventPage> {
  let all = newestEvents(db, origin, size);
  if (since !== undefined) all = all.where('at', '>=', new Date(since));
  if (start) all = all.where(sql<boolean>`(at, place) < (${start.at}, ${start.place})`);
  const isFew = ids !== undefined && ids.length <= fewDevices;
  const query = isFew
    ? ofEach(db, ids, all).limit(size)
    : ids
      ? all.where(sql<boolean>`device = any(${ids})`)
      : all;
  const rows = await query.execute();
  const last = z.safeParse(z.object({ at: z.date(), place: z.number() }), rows.at(-1));
  return {
    events: rows.flatMap((row) => eventOf(row) ?? []),
    next: rows.length < size || !last.success ? undefined : last.data,
  };
}

/**
 * Returns the last events of each device, oldest first.
 * @throws DatabaseError
 */
export async function lastEvents(
  db: Kysely<DeskTables>,
  origin: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly EventOfDevice[]>> {
  const found = new Map<string, EventOfDevice[]>(ids.map((id) => [id, []]));
  for (const some of inChunks(ids, devicesAtOnce)) {
    const rows = await ofEach(db, some, newestEvents(db, origin, maxEvents)).execute();
    for (const row of rows.toReversed()) {
      const event = eventOf(row);
      if (event) found.get(event.deviceId)?.push(event);
    }
  }
  return found;
}

/** Returns a query for the newest events. */
function newestEvents(db: Kysely<DeskTables>, origin: string, size: number) {
  const cut = (column: 'device' | 'event' | 'actor' | 'host' | 'db_user' | 'reason' | 'phone_number') =>
    sql<string>`left(${sql.ref(column)}, ${sql.lit(maxText)})`.as(column);
  return db
    .selectFrom('history')
    .select(['place', 'id', 'at', 'lost_at'])
    .select([cut('event'), cut('actor'), cut('host'), cut('db_user'), cut('device')])
    .select([cut('reason'), cut('phone_number')])
    .where('origin', '=', origin)
    .orderBy('at', 'desc')
    .orderBy('place', 'desc')
    .limit(size);
}

/**
 * Returns a query for the newest events of each device. It uses an index, so its cost does not depend on the events of
 * other devices.
 */
function ofEach(db: Kysely<DeskTables>, ids: readonly string[], newest: ReturnType<typeof newestEvents>) {
  const wanted = sql<{ device: string }>`(select distinct unnest(${ids}::text[]) as device)`.as('wanted');
  return db
    .selectFrom(wanted)
    .innerJoinLateral(newest.whereRef('history.device', '=', sql.ref('wanted.device')).as('events'), (join) =>
      join.onTrue(),
    )
    .selectAll('events')
    .orderBy('events.at', 'desc')
    .orderBy('events.place', 'desc');
}

/**
 * Returns the number of the advisory lock that is held while deciding whether an event of a device is new. It is
 * negative, so it differs from all other locks.
 */
export function historyLock(origin: string, id: string): number {
  return createHash('sha256').update(`${origin}\n${id}`).digest().readInt32BE(0) | -0x80000000;
}

/** Parses the event of a row; undefined if it is invalid. */
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
