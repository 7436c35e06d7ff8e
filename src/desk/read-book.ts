import type { Kysely } from 'kysely';
import * as z from 'zod/mini';
import { type BookRow, bookRow } from './book-copy.ts';
import type { DeskTables } from './tables.ts';

type BookQuery = ReturnType<typeof bookQuery>;

/**
 * Returns rows of the device book, ordered by place.
 * @param narrow restricts the query
 * @throws DatabaseError
 */
export async function readBook(
  db: Kysely<DeskTables>,
  narrow: (rows: BookQuery) => BookQuery = (rows) => rows,
): Promise<readonly BookRow[]> {
  return (await narrow(bookQuery(db)).execute()).map(parsed);
}

function bookQuery(db: Kysely<DeskTables>) {
  return db
    .selectFrom('book_records')
    .select(['place', 'id', 'origin', 'record', 'at', 'actor', 'host', 'db_user'])
    .orderBy('place');
}

/** A row that can't be read keeps its place, so that a copy continues after it. It belongs to no service. */
function parsed(row: { readonly place: unknown; readonly id: unknown }): BookRow {
  const found = z.safeParse(bookRow, row);
  if (found.success) return found.data;
  const { place, id } = z.parse(z.object({ place: z.number(), id: z.uuid() }), row);
  return { place, id, origin: '', record: {}, at: new Date(0), actor: '', host: '', db_user: '' };
}
