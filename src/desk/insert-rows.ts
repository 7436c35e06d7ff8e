import { type Kysely, sql } from 'kysely';
import { isObject, type JsonObject, parseJson, textOf } from '../lib/json-object.ts';
import { parseTime } from '../lib/time.ts';
import type { Actor } from './actor.ts';
import { recordIn } from './book-copy.ts';
import type { OutboxRecord } from './outbox.ts';
import type { DeskTables } from './tables.ts';

/** The members of a record that a desk shares. A token is never one, even if a file has one. */
const shared: ReadonlySet<string> = new Set([
  ...['id', 'name', 'team_id', 'team_name', 'bot_id', 'bot_name', 'seen_at', 'noted_at', 'refusal'],
  ...['added_at', 'forgotten_at', 'tombstone', 'intent', 'begun_at', 'settled'],
]);

/** Returns a record as a desk stores it: with the shared members, and with texts that PostgreSQL can store. */
export function sharedRecord(record: JsonObject): JsonObject {
  const members = Object.entries(recordIn(record)).filter(([name]) => shared.has(name));
  const value = parseJson(JSON.stringify(Object.fromEntries(members), storable));
  return isObject(value) ? value : {};
}

/**
 * Inserts a record of the device book. One that is there already is left as it is. The advisory lock of the book has to be held.
 * @returns its place; undefined if it was there already
 * @throws DatabaseError
 */
export async function insertRecord(
  db: Kysely<DeskTables>,
  { id, record }: Pick<OutboxRecord, 'id' | 'record'>,
  { by, host }: Actor,
): Promise<number | undefined> {
  const row = await db
    .insertInto('book_records')
    .values({
      id,
      origin: textOf(record.origin) ?? '',
      record: JSON.stringify(sharedRecord(record)),
      actor: by,
      host,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('place')
    .executeTakeFirst();
  return row?.place;
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

/** Rows that are inserted with one statement. */
const batchSize = 500;

/**
 * Inserts events of the history, each with its own author. Those that are there already are left as they are.
 * @returns how many were not there
 * @throws DatabaseError
 */
export async function insertEvents(db: Kysely<DeskTables>, rows: readonly EventRow[]): Promise<number> {
  let inserted = 0n;
  for (let start = 0; start < rows.length; start += batchSize) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('history')
      .values(rows.slice(start, start + batchSize).map(valuesOf))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    inserted += numInsertedOrUpdatedRows ?? 0n;
  }
  return Number(inserted);
}

function valuesOf({ id, at, event, actor: { by, host } }: EventRow) {
  const lostAt = parseTime(event.lost_at);
  const text = (value: unknown): string | undefined => textOf(value)?.replaceAll('\0', '');
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
