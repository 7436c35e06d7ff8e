import { endpoints } from '../contract/endpoints.ts';
import { withTextIds } from '../contract/loose.ts';
import { allowFailure, Failure } from '../lib/errors.ts';
import { pluralize } from '../lib/text/numbers.ts';
import type { PagingMember } from '../settings/list-query.ts';
import type { Identity } from '../settings/settings.ts';
import type { Answer } from './answer.ts';
import type { Page, PagedEndpoint, PagesInput, ResourceRow } from './api.ts';
import { isRefused, isRow, type Listing, mayCountPage, pageNumberOffset, readListing } from './listing.ts';
import { PagePrefetcher } from './page-prefetcher.ts';
import {
  ignoredPagingFailure,
  incompleteListFailure,
  noListFailure,
  unpagedListFailure,
} from './words/list-failure.ts';

/** The source of the pages of a list. */
export interface PageSource {
  fetch(query: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined): Promise<Answer>;
  /** Commands in failures name its profile. */
  readonly identity: Pick<Identity, 'profile'>;
  /** Called for rows that had to be skipped. */
  onNote(text: string): void;
  /** Items per page if the caller sets none. */
  readonly pageSize: number;
  /** The number of the first page at the service. */
  readonly firstPage: number;
  /** Paging parameters that are not sent, because the service refuses every known name for them. */
  readonly unsent: readonly PagingMember[];
}

/**
 * Reads a list page by page until the service reports or shows the end. Each page is fetched on demand or, with
 * `prefetch`, slightly earlier.
 * @throws Failure `network` if a page's number or ids show that the service ignores paging, if it returns fewer rows
 * than it reports, or if pages can't be requested and there are more
 */
export async function* readPages<N extends PagedEndpoint>(
  source: PageSource,
  name: N,
  input: PagesInput<N>,
): AsyncGenerator<Page> {
  const { query, page: first = 1, perPage = source.pageSize, prefetch = 0, signal } = input;
  const lastAhead = input.prefetchUntil ?? Number.POSITIVE_INFINITY;
  const isPaged = !source.unsent.includes('page');
  if (!isPaged && first > 1) throw unpagedListFailure(undefined, 0, source.identity);
  const pages = new PagePrefetcher(first, isPaged ? prefetch : 0, signal, (number, stop) =>
    fetchPage(source, number - 1 + source.firstPage, { query, perPage, signal: stop }),
  );
  const asked = { query, perPage, signal };
  const check = new RepeatDetector(source);
  const isFiltered = Object.values(query ?? {}).some((value) => value !== undefined);
  let read = 0;
  let shift: number | undefined;
  let isTotalOfPage = false;
  try {
    for (let number = first; ; number += 1) {
      const answer = listingOf(await pages.take(), name);
      shift ??= pageNumberOffset(answer, first, source.firstPage);
      const page = answer.page === undefined ? undefined : answer.page + shift;
      if (isPaged) checkNumbers({ ...answer, page }, number, first, perPage, source);
      let rows = check.newRows(readRows(answer.elements, source), number);
      read += answer.elements.length;
      if (isPaged && number === 1 && first === 1 && mayCountPage(answer, perPage))
        isTotalOfPage = await hasMoreRows(source, answer, asked);
      const listing = isTotalOfPage ? { ...answer, total: undefined } : answer;
      const { total, totalPages } = listing;
      const isEnd = isLast(listing, number, first, read);
      if (isEnd && isPaged && first === 1 && lacksRows(listing, read)) {
        const before = await rowsOfPageZero(source, name, check, asked);
        rows = [...before, ...rows];
        read += before.length;
        const isShort = total !== undefined && read < total;
        if (isShort && !(isFiltered && (await isUnfilteredTotal(source, name, total, signal))))
          throw incompleteListFailure(total, read, source.identity);
      }
      if (!isEnd) pages.fetchUntil(Math.min(lastAhead, lastPageToRequest(listing, number, perPage)));
      yield { rows, total, page: number, totalPages };
      if (!isPaged) return checkComplete(listing, perPage, source);
      if (isEnd) return;
    }
  } finally {
    pages.stop();
  }
}

/**
 * Returns whether more rows follow the first page. Some services refuse the page after the last one, or repeat the last
 * one.
 * @throws Failure if the next page can't be read: the first one would pass for the whole list
 */
async function hasMoreRows(source: PageSource, { elements }: Listing, asked: PageQuery): Promise<boolean> {
  const ids = new Set(elements.filter(isRow).map(({ id }) => id));
  const next = await fetchPage(source, source.firstPage + 1, asked).catch((error: unknown) => {
    if (error instanceof Failure && isRefused(error)) return undefined;
    throw error;
  });
  const others = next && readListing(next.data, next.meta)?.elements;
  return others?.some((one) => isRow(one) && !ids.has(one.id)) ?? false;
}

/** Returns true if the service reports more rows than it returned. */
function lacksRows({ total, totalPages = 0 }: Listing, read: number): boolean {
  return total === undefined ? read === 0 && totalPages > 0 : read < total;
}

/** The parameters of a page request, without its number. */
interface PageQuery {
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly perPage: number;
  readonly signal: AbortSignal | undefined;
}

/** Fetches a page by the service's page number, with the paging parameters that the service accepts. */
function fetchPage(
  { fetch, unsent }: PageSource,
  number: number,
  { query, perPage, signal }: PageQuery,
): Promise<Answer> {
  const page = unsent.includes('page') ? undefined : number;
  const limit = unsent.includes('limit') ? undefined : perPage;
  return fetch({ ...query, page, limit }, signal);
}

/**
 * Returns the rows of page 0 that no other page had: the first page of a service that counts from 0 although the
 * profile is not configured so. Any other service refuses the page, or returns the first one again.
 */
async function rowsOfPageZero(
  source: PageSource,
  name: PagedEndpoint,
  check: RepeatDetector,
  asked: PageQuery,
): Promise<readonly ResourceRow[]> {
  if (source.firstPage !== 1) return [];
  // A failure of this extra page is ignored: the caller reports the missing rows.
  const answer = await allowFailure(fetchPage(source, 0, asked));
  const rows = answer ? check.filterSeen(readRows(listingOf(answer, name).elements, source)) : [];
  if (rows.length > 0)
    source.onNote('The service counts its pages from 0, so its first rows may come last here.');
  return rows;
}

/**
 * Returns true if the total of a filtered list is that of the whole list: some services ignore the filter when they
 * count.
 */
async function isUnfilteredTotal(
  source: PageSource,
  name: PagedEndpoint,
  total: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const whole = await fetchPage(source, 1, { query: {}, perPage: 1, signal });
  return listingOf(whole, name).total === total;
}

/**
 * Returns the last page, as far as one page shows. Without totals, a short page is the last except for an empty one.
 */
function lastPageToRequest(
  { elements, limit, total, totalPages }: Listing,
  number: number,
  perPage: number,
): number {
  if (totalPages !== undefined) return totalPages;
  const size = limit || elements.length;
  if (total !== undefined) return Math.ceil(total / size);
  return elements.length < perPage ? number : Number.POSITIVE_INFINITY;
}

/**
 * Reports that the only page a service returns may not be the whole list.
 * @throws Failure if it certainly is not
 */
function checkComplete(listing: Listing, perPage: number, { identity, onNote }: PageSource): void {
  const { elements, total, totalPages } = listing;
  const read = elements.length;
  if (total === undefined ? (totalPages ?? 1) > 1 : read < total)
    throw unpagedListFailure(total, read, identity);
  const isCounted = (total !== undefined || totalPages !== undefined) && !mayCountPage(listing, perPage);
  if (isCounted || read === 0) return;
  onNote(
    `The service gave ${pluralize(read, 'row')}, and its page parameter is not known: there may be more.`,
  );
}

/** Minimum number of ids remembered. */
const rememberedIds = 1000;

/** Detects rows and whole pages that were read before. Its memory doesn't grow with the list. */
class RepeatDetector {
  /** The ids since the last full set, and that full set. */
  #ids = new Set<string>();
  #idsBefore = new Set<string>();
  /** Fingerprints of the first page and of the previous one. */
  #first: string | undefined;
  #last: string | undefined;
  /** True if the previous page had no new row. */
  #wasOld = false;

  constructor(private readonly source: PageSource) {}

  /** Returns the rows that are not among the last thousand, and remembers them. */
  filterSeen<R extends { readonly id: string }>(rows: readonly R[]): readonly R[] {
    return rows.filter(({ id }) => {
      if (this.#ids.has(id) || this.#idsBefore.has(id)) return false;
      if (this.#ids.size === rememberedIds) [this.#idsBefore, this.#ids] = [this.#ids, new Set()];
      this.#ids.add(id);
      return true;
    });
  }

  /**
   * Returns the rows of a page that are not among the last ones. There may be none: a row created meanwhile pushes
   * others to the next page.
   * @throws Failure `network` if the page repeats the first or the previous one, or is the second in a row without a
   * new row
   */
  newRows<R extends { readonly id: string }>(rows: readonly R[], number: number): readonly R[] {
    const begin = rows[0];
    if (begin === undefined) return rows;
    // Compares the first and last row too: a repeated page with more rows than are remembered is only detected this
    // way.
    const ends = `${rows.length} ${begin.id} ${rows.at(-1)?.id}`;
    const fresh = this.filterSeen(rows);
    const isOld = fresh.length === 0;
    if ((isOld && this.#wasOld) || ends === this.#first || ends === this.#last) {
      const evidence = `page ${number} holds the rows of the pages before`;
      throw ignoredPagingFailure(evidence, this.source.identity);
    }
    this.#first ??= ends;
    this.#last = ends;
    this.#wasOld = isOld;
    return fresh;
  }
}

/** Returns the list in a response. */
function listingOf({ data, meta }: Answer, name: PagedEndpoint): Listing {
  const listing = readListing(data, meta);
  if (!listing) throw noListFailure(endpoints[name].path);
  return listing;
}

function checkNumbers(
  { page, limit, elements }: Listing,
  asked: number,
  first: number,
  perPage: number,
  { identity, unsent }: PageSource,
): void {
  // Some services count from 0, and some return the last page for a page past the end; both also show on later pages.
  if (page !== undefined && page !== asked && elements.length > 0)
    throw ignoredPagingFailure(`it answered page ${page} for page ${asked}`, identity);
  if (first === 1 || unsent.includes('limit')) return;
  const size = limit ?? Math.max(elements.length, perPage);
  if (size === perPage) return;
  const message = `The service puts ${size} rows on a page instead of ${perPage}, so page ${first} is another one.`;
  throw new Failure('network', message, { hint: `Use --limit ${size}, or leave --page out.` });
}

function readRows(elements: readonly unknown[], source: PageSource): readonly ResourceRow[] {
  const rows = elements.map((one) => (isRow(one) ? one : withTextIds(one))).filter(isRow);
  const odd = elements.length - rows.length;
  if (odd > 0) source.onNote(`${odd} ${odd === 1 ? 'row has' : 'rows have'} no id and can't be shown.`);
  return rows;
}

/** Returns true if no page follows this one: by the totals of the service or, without totals, by an empty page. */
function isLast(
  { elements, total, totalPages }: Listing,
  number: number,
  first: number,
  read: number,
): boolean {
  if (elements.length === 0) return true;
  if (totalPages !== undefined) return number >= totalPages;
  return total !== undefined && first === 1 && read >= total;
}
