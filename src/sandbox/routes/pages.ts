import type * as z from 'zod/mini';
import type { paging } from '../../contract/schema.ts';

/** Items on a page that was asked for without saying how many. */
const defaultLimit = 20;

/** Which rows a paged list is asked for. */
export interface Page {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

/** Reads the paging members of a query; page 1 of 20 items where they are missing. */
export function pageOf({
  page = 1,
  limit = defaultLimit,
}: {
  page?: number | undefined;
  limit?: number | undefined;
}): Page {
  return { page, limit, offset: (page - 1) * limit };
}

/** The paging members of an answer. */
export function pagingOf({ page, limit }: Page, total: number): z.infer<typeof paging> {
  return { page, limit, total, totalPages: Math.ceil(total / limit) };
}

/** The pattern for `ilike` that finds a text anywhere in a name. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
