import { type Kysely, sql } from 'kysely';
import { inChunks } from '../lib/iterables.ts';
import { asText, isObject, type JsonObject, parseJson } from '../lib/json-object.ts';
import { parseTime } from '../lib/time.ts';
import type { Actor } from './actor.ts';
import { recordIn } from './book-copy.ts';
import type { OutboxRecord } from './outbox.ts';
import type { DeskTables } from './tables.ts';

/** The members of a record that a desk shares. They never include a token, even if a file has one. */
const shared: ReadonlySet<string> = new Set([
  ...['id', 'name', 'team_id', 'team_name', 'bot_id', 'bot_name', 'seen_at', 'noted_at', 'refusal'],
  ...['added_at', 'forgotten_at', 'tombstone', 'intent', 'begun_at', 'settled', 'made_at'],
]);

/** Returns a record as a desk stores it: only the shared members, and texts that PostgreSQL can store. */
export function sharedRecord(record: JsonObject): JsonObject {
  const members = Object.entries(recordIn(record)).filter(([name]) => shared.has(name));
  const value = parseJson(JSON.stringify(Object.fromEntries(members), storable));
  return isObject(value) ? value : {};
}

/** A record of the device book with its id and its author. */
export interface RecordRow extends Pick<OutboxRecord, 'id' | 'record'> {
  readonly actor: Actor;
}

/** The number of rows per statement. */
const batchSize = 500;

/**
 * Inserts records of the device book in order. Existing rows are not changed. The caller must hold the advisory lock of
 * the book.
 * @returns the places of the new rows, by their ids
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

/** PostgreSQL can't store the character 0 or an unpaired surrogate, which a service may return in a name. */
function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}

/** An event of the history with its id. */
export interface EventRow {
  /** A UUID. */
  readonly id: string;
  /** By the clock of the database; undefined for the current time of the database. */
  readonly at: Date | undefined;
  /** `origin`, `device`, `event`, and optionally `reason`, `lost_at` and `phone_number`. */
  readonly event: JsonObject;
  readonly actor: Actor;
}

/**
 * Inserts events of the history, each with its own author. Existing rows are not changed.
 * @returns the ids of the new rows
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
