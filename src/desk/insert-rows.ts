import { type Kysely, sql } from 'kysely';
import { inChunks } from '../lib/iterables.ts';
import { asText, isObject, type JsonObject, parseJson } from '../lib/json-object.ts';
import { parseTime } from '../lib/time.ts';
import type { Actor } from './actor.ts';
import { recordIn } from './book-copy.ts';
import type { OutboxRecord } from './outbox.ts';
import type { DeskTables } from './tables.ts';

/** The members of a record that a desk shares. A token is never one, even if a file has one. */
const shared: ReadonlySet<string> = new Set([
  ...['id', 'name', 'team_id', 'team_name', 'bot_id', 'bot_name', 'seen_at', 'noted_at', 'refusal'],
  ...['added_at', 'forgotten_at', 'tombstone', 'intent', 'begun_at', 'settled', 'made_at'],
]);

/** Returns a record as a desk stores it: with the shared members, and with texts that PostgreSQL can store. */
export function sharedRecord(record: JsonObject): JsonObject {
  const members = Object.entries(recordIn(record)).filter(([name]) => shared.has(name));
  const value = parseJson(JSON.stringify(Object.fromEntries(members), storable));
  return isObject(value) ? value : {};
}

/** A record of the device book with its id and its author. */
export interface RecordRow extends Pick<OutboxRecord, 'id' | 'record'> {
  readonly actor: Actor;
}

/** Rows that are inserted with one statement. */
const batchSize = 500;

/**
 * Inserts records of the device book in their order. Those that are there already are left as they are. The advisory lock of the book
 * has to be held.
 * @returns the places of those that were not there, by their ids
 * @throws DatabaseError
 */
export async function insertRecords(
  db: Kysely<DeskTables>,
  rows: readonly RecordRow[],
): Promise<ReadonlyMap<string, number>> {
  const places = new Map<string, number>();
  for (const some of inChunks(rows, batchSize)) {
    const values = some.map(({ id, record, actor: { by, host } }) => ({
      id,
      origin: asText(record.origin) ?? '',
      record: JSON.stringify(sharedRecord(record)),
      actor: by,
      host,
    }));
    const inserted = await db
      .insertInto('book_records')
      .values(values)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning(['id', 'place'])
      .execute();
    for (const { id, place } of inserted) places.set(id, place);
  }
  return places;
}

/** PostgreSQL stores no character 0 and no half of a surrogate pair, which a service may send in a name. */
function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}

/** An event of the history with its id. */
export interface EventRow {
  /** A UUID. */
  readonly id: string;
  /** By the clock of the database; the database's own time if it is undefined. */
  readonly at: Date | undefined;
  /** `origin`, `device`, `event`, and `reason`, `lost_at` and `phone_number` if there are any. */
  readonly event: JsonObject;
  readonly actor: Actor;
}

/**
 * Inserts events of the history, each with its own author. Those that are there already are left as they are.
 * @returns the ids of those that were not there
 * @throws DatabaseError
 */
export async function insertEvents(
  db: Kysely<DeskTables>,
  rows: readonly EventRow[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const some of inChunks(rows, batchSize)) {
    const inserted = await db
      .insertInto('history')
      .values(some.map(valuesOf))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .execute();
    ids.push(...inserted.map(({ id }) => id));
  }
  return ids;
}

function valuesOf({ id, at, event, actor: { by, host } }: EventRow) {
  const lostAt = parseTime(event.lost_at);
  const text = (value: unknown): string | undefined => asText(value)?.replaceAll('\0', '');
  return {
    id,
    origin: text(event.origin) ?? '',
    device: text(event.device) ?? '',
    event: text(event.event) ?? '',
    reason: text(event.reason) ?? null,
    lost_at: lostAt === undefined ? null : new Date(lostAt),
    phone_number: text(event.phone_number) ?? null,
    at: at ?? sql<Date>`clock_timestamp()`,
    actor: by,
    host,
  };
}
