import { isDeepStrictEqual } from 'node:util';
import { parseExactly } from '../lib/exact-json.ts';
import { isObject } from '../lib/json-object.ts';
import type { Identity } from '../settings/settings.ts';
import { isRefused, type Listing, mayCountPage, pageNumberOffset, readListing, toCount } from './listing.ts';
import type { RawAnswer } from './raw-request.ts';
import {
  ignoredPagingFailure,
  incompleteListFailure,
  noListFailure,
  unpagedListFailure,
} from './words/list-failure.ts';

/** The source of the pages of any path. */
export interface RawPageSource {
  /** The service's parameter names for the page number and the page size. */
  readonly names: { readonly page: string; readonly limit: string };
  /** Rows to request per page if the path sets none, or undefined if the list may refuse a size. */
  readonly pageSize: number | undefined;
  /** False if the service refuses every known name of the page number, so that only one page can be read. */
  readonly sendsPage: boolean;
  /** The number of the first page. */
  readonly firstPage: number;
  /** Commands in failures name its profile. */
  readonly identity: Pick<Identity, 'profile'>;
  /** Makes one call. */
  call(path: string): Promise<RawAnswer>;
}

/**
 * Reads the rows of any list page by page, on demand, until the responses show the end. The first page is requested
 * exactly as the path says; the others with increasing page numbers.
 * @param path with its query
 * @throws Failure of a response; `usage` if a response contains no list; `network` if paging is ignored
 */
export async function* rawRows(path: string, pages: RawPageSource): AsyncGenerator<unknown> {
  const { names } = pages;
  const isSized = pages.pageSize === undefined || parameterOf(path, names.limit) !== undefined;
  const start = isSized ? path : withParameter(path, names.limit, pages.pageSize);
  const first = toCount(parameterOf(path, names.page)) ?? pages.firstPage;
  const size = toCount(parameterOf(start, names.limit)) ?? Number.POSITIVE_INFINITY;
  let before: Listing | undefined;
  let read = 0;
  let shift: number | undefined;
  // True if only a request for the next page shows whether there are more rows.
  let isUncertain = false;
  for (let number = first; ; number += 1) {
    const answer = await pages.call(number === first ? start : withParameter(start, names.page, number));
    if (answer.failure && isUncertain && isRefused(answer.failure)) return;
    if (answer.failure) throw answer.failure;
    const page = readPage(Buffer.from(answer.bytes).toString('utf8'));
    if (page.elements.length === 0) {
      // If the list starts in the middle or is filtered, its total may differ from the number of rows read.
      const isWhole = first === pages.firstPage && (read === 0 || !isFiltered(path, names));
      if (isWhole && page.total !== undefined && read < page.total)
        throw incompleteListFailure(page.total, read, pages.identity);
      return;
    }
    const place = number + 1 - pages.firstPage;
    shift ??= pageNumberOffset(page, place, pages.firstPage);
    const isOther = number > first && page.page !== undefined && page.page + shift !== place;
    if (isOther || isDeepStrictEqual(page.elements, before?.elements)) {
      if (isUncertain) return;
      const evidence = `it answered another page for ${names.page}=${number}`;
      throw ignoredPagingFailure(evidence, pages.identity);
    }
    before = page;
    read += page.elements.length;
    yield* page.elements;
    const isEnd = !hasMore(page, place, first === pages.firstPage ? read : undefined);
    isUncertain = isEnd && pages.sendsPage && mayCountPage(page, size);
    if (isEnd && !isUncertain) return;
    if (!pages.sendsPage) throw unpagedListFailure(page.total, read, pages.identity);
  }
}

/**
 * @param number of the page, counted from 1
 * @param read rows read in total, or undefined if the first pages were skipped
 */
function hasMore(
  { page, limit, total, totalPages }: Listing,
  number: number,
  read: number | undefined,
): boolean {
  if (totalPages !== undefined) return number < totalPages;
  if (total === undefined) return false;
  if (read !== undefined) return read < total;
  return page !== undefined && limit !== undefined && number * limit < total;
}

function readPage(text: string): Listing {
  const body = parseExactly(text);
  const listing = isObject(body) ? readListing(body.data, body.meta) : readListing(body, undefined);
  if (!listing) throw noListFailure();
  return listing;
}

function isFiltered(path: string, names: RawPageSource['names']): boolean {
  const query = new URLSearchParams(path.split('?')[1] ?? '');
  return [...query.keys()].some((name) => name !== names.page && name !== names.limit);
}

function parameterOf(path: string, name: string): string | undefined {
  return new URLSearchParams(path.split('?')[1] ?? '').get(name) ?? undefined;
}

/** Returns a path whose query has the given parameter exactly once; the rest of the query is unchanged. */
function withParameter(path: string, name: string, value: number): string {
  const [bare = '', query = ''] = path.split('?');
  const others = query
    .split('&')
    .filter((part) => part !== '' && new URLSearchParams(part).get(name) === null);
  return `${bare}?${[...others, `${encodeURIComponent(name)}=${value}`].join('&')}`;
}
