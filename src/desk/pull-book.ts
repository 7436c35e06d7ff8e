import type { Kysely } from 'kysely';
import { logLines } from '../lib/files/append-log.ts';
import { asText, isObject } from '../lib/json-object.ts';
import { type BookCopy, type BookRow, type CopyEnd, recordIn } from './book-copy.ts';
import type { OutboxRecord } from './outbox.ts';
import { readBook } from './read-book.ts';
import type { DeskTables } from './tables.ts';

/** Rows that are read with one statement. */
const pageSize = 5000;

/**
 * Brings a copy up to date with the device book of a database. If the database was restored to an earlier state, the copy is made
 * again, once the entries that only the copy has are stored elsewhere.
 * @param now milliseconds since 1970, for the age of the copy
 * @param store stores these entries; returns false if that is not possible, then the copy stays
 * @throws DatabaseError
 */
export async function pullBook(
  db: Kysely<DeskTables>,
  copy: BookCopy,
  now: number,
  store: (entries: readonly OutboxRecord[]) => Promise<boolean>,
): Promise<void> {
  for (;;) {
    const end = copy.end();
    const [first, ...rest] = await rowsFrom(db, end);
    const isKnown = end.id === undefined || (first?.place === end.place && first.id === end.id);
    if (!isKnown) {
      const rows = await allRows(db);
      const missing = missingIn(rows, copy, now);
      if (missing.length === 0 || (await store(missing))) await copy.replace(rows);
      return;
    }
    const rows = end.id === undefined && first ? [first, ...rest] : rest;
    await copy.append(rows, now);
    // Another process may keep the copy from being written; the next look brings the rest.
    if (rows.length < pageSize || copy.end().place === end.place) return;
  }
}

/** Returns the rows from the end of a copy on, the last one of the copy included. */
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

/** Returns the entries that only a copy has. */
function missingIn(rows: readonly BookRow[], copy: BookCopy, now: number): readonly OutboxRecord[] {
  const known = new Set(rows.map(({ id }) => id));
  let common = 0;
  const missing: OutboxRecord[] = [];
  for (const { value: line } of logLines(copy.text())) {
    if (!isObject(line) || typeof line.place !== 'number') continue;
    const id = asText(line.change);
    if (id === undefined) continue;
    if (known.has(id)) common = Math.max(common, line.place);
    else if (asText(line.origin)) {
      const at = asText(line.recorded_at ?? line.noted_at) ?? new Date(now).toISOString();
      const [by, host] = [asText(line.noted_by), asText(line.noted_from)];
      const author = by !== undefined && host !== undefined ? { by, host } : undefined;
      missing.push({ kind: 'record', id, at, seen: common, record: recordIn(line), author });
    }
  }
  return missing;
}
