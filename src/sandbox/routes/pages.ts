import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type * as z from 'zod/mini';
import type { paging } from '../../contract/schema.ts';
import { foldForSearch } from '../../database/differences.ts';
import type { Store, Tables } from '../store/tables.ts';

/** Default number of items per page. */
const defaultLimit = 20;

type PagedTable = 'teams' | 'bots' | 'documents';

/**
 * Reads one page of a query's rows, oldest first, and their total number: by default page 1 with 20 rows. The ids on
 * the page are found by a subquery that an index alone can answer.
 */
export async function readPage<T extends PagedTable>(
  found: SelectQueryBuilder<Tables, T, Selectable<Tables[T]>>,
  { page = 1, limit = defaultLimit }: { page?: number | undefined; limit?: number | undefined },
) {
  const offset = (page - 1) * limit;
  const ids = found.clearSelect().select(sql`id`.as('id')).orderBy(order).limit(limit).offset(offset);
  const rows = await found.clearWhere().where(sql<boolean>`id in ${ids}`).orderBy(order).execute();
  // A page that is not full is the last one, so it needs no count: counting takes as long as finding the rows of a rare
  // name.
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

/** Returns the condition that a name contains a text, ignoring case. */
export function nameContains({ contains }: Pick<Store, 'contains'>, text: string): RawBuilder<boolean> {
  return contains(sql.ref('name_folded'), foldForSearch(text));
}
