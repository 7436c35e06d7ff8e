import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type * as z from 'zod/mini';
import type { paging } from '../../contract/schema.ts';
import { foldForSearch } from '../../database/differences.ts';
import type { ListChoices } from '../service.ts';
import type { Store, Tables } from '../store/tables.ts';

/** Items on a page that was asked for without saying how many. */
const defaultLimit = 20;

type PagedTable = 'teams' | 'bots' | 'documents';

/**
 * Reads one page of the rows that a query finds, in the chosen order, and the number of rows that it finds in all: page 1 of
 * 20 rows by default. The ids on the page come from a query of their own, which an index answers alone.
 */
export async function readPage<T extends PagedTable>(
  found: SelectQueryBuilder<Tables, T, Selectable<Tables[T]>>,
  { page = 1, limit: asked = defaultLimit }: { page?: number | undefined; limit?: number | undefined },
  { order, max_limit }: ListChoices,
) {
  const limit = Math.min(asked, max_limit);
  const offset = (page - 1) * limit;
  const ids = found.clearSelect().select(sql`id`.as('id')).orderBy(orders[order]).limit(limit).offset(offset);
  const rows = await found.clearWhere().where(sql<boolean>`id in ${ids}`).orderBy(orders[order]).execute();
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

/** An index of PostgreSQL takes the beginning of a name only, since names may be of any length. */
const beginning = sql`substr(name, 1, 250)`;

const orders: Readonly<Record<ListChoices['order'], RawBuilder<unknown>>> = {
  created_at: sql`created_at, id`,
  'created_at:desc': sql`created_at desc, id desc`,
  name: sql`${beginning}, name, id`,
  'name:desc': sql`${beginning} desc, name desc, id desc`,
};

/** Returns the condition that a name contains a text. */
export function nameContains(
  { contains }: Pick<Store, 'contains'>,
  text: string,
  { case_sensitive }: ListChoices,
): RawBuilder<boolean> {
  return case_sensitive
    ? contains(sql.ref('name'), text)
    : contains(sql.ref('name_folded'), foldForSearch(text));
}
