import { type Kysely, sql } from 'kysely';
import type { JsonObject } from '../lib/json-object.ts';
import { textOf } from '../lib/json-object.ts';
import { parseTime } from '../lib/time.ts';
import type { Actor } from './actor.ts';
import { recordIn } from './book-copy.ts';
import type { OutboxRecord } from './outbox.ts';
import type { DeskTables } from './tables.ts';

/** The members of a record that a desk shares. A token is never one, whatever a file holds. */
const shared: ReadonlySet<string> = new Set([
  ...['id', 'name', 'team_id', 'team_name', 'bot_id', 'bot_name', 'seen_at', 'noted_at', 'refusal'],
  ...['added_at', 'forgotten_at', 'tombstone', 'intent', 'begun_at', 'settled'],
]);

/**
 * Inserts a record of the device book. The advisory lock of the book has to be held.
 * @throws DatabaseError
 */
export async function insertRecord(
  db: Kysely<DeskTables>,
  { id, record }: Pick<OutboxRecord, 'id' | 'record'>,
  { by, host }: Actor,
): Promise<void> {
  const members = Object.entries(recordIn(record)).filter(([name]) => shared.has(name));
  await db
    .insertInto('book_records')
    .values({
      id,
      origin: textOf(record.origin) ?? '',
      // PostgreSQL stores no character 0, which a service may send in a name.
      record: JSON.stringify(Object.fromEntries(members), withoutZero),
      actor: by,
      host,
    })
    .execute();
}

function withoutZero(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '') : value;
}

/** An event of the history with its id. */
export interface EventRow {
  /** A UUID. */
  readonly id: string;
  /** By the clock of the database; the database's own time if it is undefined. */
  readonly at: Date | undefined;
  /** `origin`, `device`, `event`, and `reason`, `lost_at` and `phone_number` if there are any. */
  readonly event: JsonObject;
}

/**
 * Inserts an event of the history. One that is there already is left as it is.
 * @throws DatabaseError
 */
export async function insertEvent(
  db: Kysely<DeskTables>,
  { id, at, event }: EventRow,
  { by, host }: Actor,
): Promise<void> {
  const lostAt = parseTime(event.lost_at);
  await db
    .insertInto('history')
    .values({
      id,
      origin: textOf(event.origin) ?? '',
      device: textOf(event.device) ?? '',
      event: textOf(event.event) ?? '',
      reason: textOf(event.reason) ?? null,
      lost_at: lostAt === undefined ? null : new Date(lostAt),
      phone_number: textOf(event.phone_number) ?? null,
      at: at ?? sql<Date>`clock_timestamp()`,
      actor: by,
      host,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
