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
  /** The service's names for the number of a page, and for the number of rows on it. */
  readonly names: { readonly page: string; readonly limit: string };
  /** Rows to ask for on a page where the path doesn't say, or undefined if the list may refuse a size. */
  readonly pageSize: number | undefined;
  /** False where the service refuses every name that is known for the number of a page, so that one page is all. */
  readonly sendsPage: boolean;
  /** The number of the first page. */
  readonly firstPage: number;
  /** The profile is named in the commands of failures. */
  readonly identity: Pick<Identity, 'profile'>;
  /** Makes one call. */
  call(path: string): Promise<RawAnswer>;
}

/**
 * Reads the rows of any list, page by page, each when it is asked for, until the answers say that there
 * are no more. The first page is asked for as the path says; the others by the number that follows.
 * @param path with its query
 * @throws Failure of an answer; `usage` where an answer holds no list; `network` where paging is ignored
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
  // True if only the page after the last one shows whether there are more rows.
  let isUncertain = false;
  for (let number = first; ; number += 1) {
    const answer = await pages.call(number === first ? start : withParameter(start, names.page, number));
    if (answer.failure && isUncertain && isRefused(answer.failure)) return;
    if (answer.failure) throw answer.failure;
    const page = readPage(Buffer.from(answer.bytes).toString('utf8'));
    if (page.elements.length === 0) {
      // A list that is begun in the middle, or filtered, may have another total than it has rows.
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
 * @param read rows read in all, or undefined if the first pages were left out
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

/** A path whose query has a member with a value, once; what else is in the query stays as it is written. */
function withParameter(path: string, name: string, value: number): string {
  const [bare = '', query = ''] = path.split('?');
  const others = query
    .split('&')
    .filter((part) => part !== '' && new URLSearchParams(part).get(name) === null);
  return `${bare}?${[...others, `${encodeURIComponent(name)}=${value}`].join('&')}`;
}
