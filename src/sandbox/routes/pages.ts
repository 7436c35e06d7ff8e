import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type * as z from 'zod/mini';
import type { paging } from '../../contract/schema.ts';
import type { ListChoices } from '../service.ts';
import type { Tables } from '../store/tables.ts';

/** Items on a page that was asked for without saying how many. */
const defaultLimit = 20;

type PagedTable = 'teams' | 'bots' | 'documents';

/**
 * Reads one page of the rows that a query finds, in the order that was chosen, and how many it
 * finds in all: page 1 of 20 rows by default. Counting apart is far quicker than a window.
 */
export async function readPage<T extends PagedTable>(
  found: SelectQueryBuilder<Tables, T, object>,
  { page = 1, limit: asked = defaultLimit }: { page?: number | undefined; limit?: number | undefined },
  { order, max_limit }: ListChoices,
) {
  const limit = Math.min(asked, max_limit);
  const { total } = await found.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll()
    .orderBy(orders[order])
    .orderBy(sql`id`)
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const members: z.infer<typeof paging> = { page, limit, total, totalPages: Math.ceil(total / limit) };
  return { rows, paging: members };
}

const orders: Readonly<Record<ListChoices['order'], RawBuilder<unknown>>> = {
  created_at: sql`created_at`,
  'created_at:desc': sql`created_at desc`,
  name: sql`name`,
  'name:desc': sql`name desc`,
};

/** Returns the operator and the pattern that find a text anywhere in a name. */
export function containing(
  text: string,
  { case_sensitive }: ListChoices,
): readonly ['like' | 'ilike', string] {
  return [case_sensitive ? 'like' : 'ilike', `%${text.replace(/[\\%_]/g, '\\$&')}%`];
}
