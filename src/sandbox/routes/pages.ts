import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type * as z from 'zod/mini';
import type { paging } from '../../contract/schema.ts';
import type { ListChoices } from '../service.ts';
import type { Tables } from '../store/tables.ts';

/** Items on a page that was asked for without saying how many. */
const defaultLimit = 20;

type PagedTable = 'teams' | 'bots' | 'documents';

/**
 * Reads one page of the rows of a table that a query finds, in the order that was chosen, and how many it
 * finds in all: page 1 of 20 rows by default. Counting apart is far quicker than a window. So is finding out apart
 * which rows are on the page: those before it are passed over in the index alone.
 */
export async function readPage<T extends PagedTable>(
  db: Kysely<Tables>,
  table: T,
  found: SelectQueryBuilder<Tables, T, object>,
  { page = 1, limit: asked = defaultLimit }: { page?: number | undefined; limit?: number | undefined },
  { order, max_limit }: ListChoices,
) {
  const limit = Math.min(asked, max_limit);
  const count = found.select(sql<number>`count(*)::int`.as('total'));
  const ids = found
    .select(sql<string>`id`.as('id'))
    .orderBy(orders[order])
    .orderBy(sql`id`)
    .limit(limit)
    .offset((page - 1) * limit);
  // A page without rows is one row of nulls with the count.
  const read = await sql<Selectable<Tables[T]> & { readonly total: number; readonly is_row: boolean }>`
    select found.total, page.id is not null as is_row, page.* from ${count} as found
    left join (select * from ${sql.table(table)} where id in (${ids})) as page on true
    order by ${orders[order]}, id`.execute(db);
  const [first] = read.rows;
  if (!first) throw new TypeError('the count of a list is missing');
  const { total } = first;
  const rows = read.rows.filter(({ is_row }) => is_row);
  const members: z.infer<typeof paging> = { page, limit, total, totalPages: Math.ceil(total / limit) };
  return { rows, paging: members };
}

/** An index takes no text of any length: it has the beginnings of names, and those that begin alike are few. */
const beginning = sql`left(name, 250)`;

const orders: Readonly<Record<ListChoices['order'], RawBuilder<unknown>>> = {
  created_at: sql`created_at`,
  'created_at:desc': sql`created_at desc`,
  name: sql`${beginning}, name`,
  'name:desc': sql`${beginning} desc, name desc`,
};

/** Returns the operator and the pattern that find a text anywhere in a name. */
export function containing(
  text: string,
  { case_sensitive }: ListChoices,
): readonly ['like' | 'ilike', string] {
  return [case_sensitive ? 'like' : 'ilike', `%${text.replace(/[\\%_]/g, '\\$&')}%`];
}
