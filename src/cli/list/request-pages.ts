import type { Page, PagedEndpoint, PagesInput } from '../../client/api.ts';
import { type Attempt, firstAccepted } from '../../resources/first-accepted.ts';
import type { Session } from '../context.ts';
import type { FilterCheck } from './filters.ts';
import type { Condition } from './where.ts';

/** The number of pages that are fetched ahead of the rows being printed. */
const prefetchedPages = 4;

export type Query<N extends PagedEndpoint> = NonNullable<PagesInput<N>['query']>;

/** The input that decides which pages are requested. */
export interface PageRequests<N extends PagedEndpoint> {
  readonly session: Pick<Session, 'api'>;
  readonly name: N;
  readonly input: PageOptions;
  readonly query: Query<N>;
  /** Rows to show, at most. */
  readonly limit: number;
  readonly perPage: number;
  readonly check: FilterCheck;
}

interface PageOptions {
  readonly page?: number | undefined;
  readonly sort?: unknown;
  readonly where: readonly Condition[];
}

/** True if more rows are read than shown. */
export function readsAll({ sort, where }: PageOptions): boolean {
  return sort !== undefined || where.length > 0;
}

/**
 * Requests the pages of a list with its filters and those that `--where` implies. If the service refuses that, requests
 * them with the filters alone, and then without any filter.
 */
export function requestPages<N extends PagedEndpoint>(requests: PageRequests<N>): AsyncIterable<Page> {
  const { session, name, input, query, limit, perPage, check } = requests;
  const { api } = session;
  const from = { page: input.page ?? 1, prefetch: input.page === undefined ? prefetchedPages : 0 };
  // If every received row is shown, no page is fetched beyond the limit.
  const prefetchUntil = readsAll(input) ? Number.POSITIVE_INFINITY : Math.ceil(limit / perPage);
  const by = (asked: Query<N>) => () => api.pages(name, { ...from, query: asked, perPage, prefetchUntil });
  const attempts: Attempt<Page>[] = [];
  const conditions = queryOf(input.where, query);
  if (conditions) attempts.push({ request: by({ ...query, ...conditions }) });
  attempts.push({ request: by(query) });
  if (check.hasFilters) {
    attempts.push({
      // Many of these rows will be dropped, so this uses the client's default page size.
      request: () => api.pages(name, from),
      // Only a page without filters proves that the filters were what the service refused.
      onFirst: () => check.markRefused(),
    });
  }
  return firstAccepted(attempts);
}

/** Returns the filters that conditions imply and that were not given otherwise, or undefined if there are none. */
function queryOf(where: readonly Condition[], query: object): Readonly<Record<string, unknown>> | undefined {
  const own = new Map<string, unknown>(Object.entries(query));
  const found = where.flatMap(({ query: said }) =>
    said && own.has(said.member) && own.get(said.member) === undefined ? [[said.member, said.value]] : [],
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
