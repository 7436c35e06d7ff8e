import type { Kysely } from 'kysely';
import { logLines } from '../lib/files/append-log.ts';
import { asText, isObject, type JsonObject } from '../lib/json-object.ts';
import { type BookCopy, type BookRow, type CopyEnd, recordIn } from './book-copy.ts';
import { deviceKey } from './device-book-lines.ts';
import type { OutboxRecord } from './outbox.ts';
import { readBook } from './read-book.ts';
import type { DeskTables } from './tables.ts';

/** The number of rows that one statement reads. */
const pageSize = 5000;

/** How the device book of a restored database differs from a copy. */
export interface Restored {
  /** The entries that only the copy has. */
  readonly missing: readonly OutboxRecord[];
  /** Returns the last place up to which this machine knows all changes of the device of a record. */
  seenOf(record: JsonObject): number;
}

/**
 * Brings a copy up to date with the device book of a database. If the database was restored to an earlier state, the
 * copy is rebuilt after `store` has stored the differences.
 * @param now milliseconds since 1970, for the age of the copy
 * @param store stores the differences; returns false if that fails, and then the copy is not changed
 * @throws DatabaseError
 */
export async function pullBook(
  db: Kysely<DeskTables>,
  copy: BookCopy,
  now: number,
  store: (restored: Restored) => Promise<boolean>,
): Promise<void> {
  for (;;) {
    const end = copy.end();
    const [first, ...rest] = await rowsFrom(db, end);
    const isKnown = end.id === undefined || (first?.place === end.place && first.id === end.id);
    if (!isKnown) {
      const rows = await allRows(db);
      if (await store(restoredIn(rows, copy, now))) await copy.replace(rows);
      return;
    }
    const rows = end.id === undefined && first ? [first, ...rest] : rest;
    await copy.append(rows, now);
    // Another process may prevent writing the copy; the next pull reads the rest.
    if (rows.length < pageSize || copy.end().place === end.place) return;
  }
}

/** Returns the rows from the end of a copy on, including the last row of the copy. */
function rowsFrom(db: Kysely<DeskTables>, { place }: CopyEnd): Promise<readonly BookRow[]> {
  return readBook(db, (rows) => rows.where('place', '>=', place).limit(pageSize + 1));
}

async function allRows(db: Kysely<DeskTables>): Promise<readonly BookRow[]> {
  const rows: BookRow[] = [];
  for (;;) {
    const page = await rowsFrom(db, { place: (rows.at(-1)?.place ?? 0) + 1, id: undefined });
    rows.push(...page);
    if (page.length <= pageSize) return rows;
  }
}

/**
 * Compares the rows of a restored database with a copy. Their places are not comparable, because the restored database
 * assigns places again.
 */
function restoredIn(rows: readonly BookRow[], copy: BookCopy, now: number): Restored {
  const lines = [...logLines(copy.text())].flatMap(({ value }) => {
    if (!isObject(value) || typeof value.place !== 'number') return [];
    const id = asText(value.change);
    return id === undefined ? [] : [{ id, line: value }];
  });
  const copied = new Set(lines.map(({ id }) => id));
  const seen = new Map<string, number>();
  const changed = new Set<string>();
  for (const { id, place, origin, record } of rows) {
    const key = deviceKey({ ...record, origin });
    if (!copied.has(id)) changed.add(key);
    if (!changed.has(key)) seen.set(key, place);
  }
  const seenOf = (record: JsonObject): number => seen.get(deviceKey(record)) ?? 0;
  const stored = new Set(rows.map(({ id }) => id));
  const missing = lines.flatMap(({ id, line }): readonly OutboxRecord[] => {
    if (stored.has(id) || !asText(line.origin)) return [];
    const at = asText(line.recorded_at ?? line.noted_at) ?? new Date(now).toISOString();
    const [by, host] = [asText(line.noted_by), asText(line.noted_from)];
    const author = by !== undefined && host !== undefined ? { by, host } : undefined;
    const record = recordIn(line);
    return [{ kind: 'record', id, at, seen: seenOf(record), record, author }];
  });
  return { missing, seenOf };
}
