import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type * as z from 'zod/mini';
import type { paging } from '../../contract/schema.ts';
import { foldForSearch } from '../../database/differences.ts';
import type { Store, Tables } from '../store/tables.ts';

/** Items on a page that was asked for without saying how many. */
const defaultLimit = 20;

type PagedTable = 'teams' | 'bots' | 'documents';

/**
 * Reads one page of the rows that a query finds, the oldest first, and the number of rows that it finds in all: page 1 of
 * 20 rows by default. The ids on the page come from a query of their own, which an index answers alone.
 */
export async function readPage<T extends PagedTable>(
  found: SelectQueryBuilder<Tables, T, Selectable<Tables[T]>>,
  { page = 1, limit = defaultLimit }: { page?: number | undefined; limit?: number | undefined },
) {
  const offset = (page - 1) * limit;
  const ids = found.clearSelect().select(sql`id`.as('id')).orderBy(order).limit(limit).offset(offset);
  const rows = await found.clearWhere().where(sql<boolean>`id in ${ids}`).orderBy(order).execute();
  // A page that is not full is the last one. To count takes as long as to find the rows of a rare name.
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  const total = isLast ? offset + rows.length : await countOf(found);
  const members: z.infer<typeof paging> = { page, limit, total, totalPages: Math.ceil(total / limit) };
  return { rows, paging: members };
}

async function countOf<T extends PagedTable>(
  found: SelectQueryBuilder<Tables, T, Selectable<Tables[T]>>,
): Promise<number> {
  const count = found.clearSelect().select(sql`count(*)`.as('total'));
  return Number((await count.executeTakeFirstOrThrow()).total);
}

const order = sql`created_at, id`;

/** Returns the condition that a name contains a text, in any case. */
export function nameContains({ contains }: Pick<Store, 'contains'>, text: string): RawBuilder<boolean> {
  return contains(sql.ref('name_folded'), foldForSearch(text));
}
