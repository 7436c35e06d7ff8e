import type { Page, PagedEndpoint, PagesInput } from '../../client/api.ts';
import { type Attempt, firstAccepted } from '../../resources/first-accepted.ts';
import type { Session } from '../context.ts';
import type { FilterCheck } from './filters.ts';
import type { Condition } from './where.ts';

/** Pages that are fetched before the rows in front of them were printed. */
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
 * Requests the pages of a list by its filters and by what `--where` says of them; by the filters alone if the service
 * refuses that, and pages of everything if it refuses those.
 */
export function requestPages<N extends PagedEndpoint>(requests: PageRequests<N>): AsyncIterable<Page> {
  const { session, name, input, query, limit, perPage, check } = requests;
  const { api } = session;
  const from = { page: input.page ?? 1, prefetch: input.page === undefined ? prefetchedPages : 0 };
  // Where every row that comes is shown, nothing is fetched that won't be.
  const prefetchUntil = readsAll(input) ? Number.POSITIVE_INFINITY : Math.ceil(limit / perPage);
  const by = (asked: Query<N>) => () => api.pages(name, { ...from, query: asked, perPage, prefetchUntil });
  const attempts: Attempt<Page>[] = [];
  const conditions = queryOf(input.where, query);
  if (conditions) attempts.push({ request: by({ ...query, ...conditions }) });
  attempts.push({ request: by(query) });
  if (check.hasFilters) {
    attempts.push({
      // Many of these rows will be dropped, so each page is as long as the client makes it by itself.
      request: () => api.pages(name, from),
      // Only once a page of everything comes is it sure that the filters were what the service refused.
      onFirst: () => check.markRefused(),
    });
  }
  return firstAccepted(attempts);
}

/** Returns the filters of a list that conditions say and nothing else does, or undefined if there are none. */
function queryOf(where: readonly Condition[], query: object): Readonly<Record<string, unknown>> | undefined {
  const own = new Map<string, unknown>(Object.entries(query));
  const found = where.flatMap(({ query: said }) =>
    said && own.has(said.member) && own.get(said.member) === undefined ? [[said.member, said.value]] : [],
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
