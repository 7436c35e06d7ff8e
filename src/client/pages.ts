import { endpoints } from '../contract/endpoints.ts';
import type { Schema } from '../contract/schema.ts';
import { Failure } from '../errors.ts';
import { isObject } from '../json-object.ts';
import type { Answer } from './answer.ts';
import type { Page, PagedEndpoint, PagesInput, RowOf } from './api.ts';
import { parseLoosely } from './call.ts';

/** How a page is fetched, and what is told meanwhile. */
export interface PageSource {
  fetch(query: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined): Promise<Answer>;
  /** Is told of rows that had to be left out. */
  onNote(text: string): void;
  /** Items per page where the caller doesn't say. */
  readonly pageSize: number;
}

/** What a list's answer holds, from whichever of the two envelopes. */
interface Listing {
  readonly elements: readonly unknown[];
  readonly page: number | undefined;
  readonly limit: number | undefined;
  readonly total: number | undefined;
  readonly totalPages: number | undefined;
}

const rowSchemas: Readonly<Record<PagedEndpoint, Schema>> = {
  listTeams: endpoints.listTeams.data.def.element,
  listBots: endpoints.listBots.data.shape.bots.def.element,
  listDocuments: endpoints.listDocuments.data.def.element,
};

const forms = new Map();

/**
 * Reads a list page by page, each when it is asked for, until the service says or shows that there are no
 * more (design, "Filters and pages are checked").
 * @throws Failure `network` where a page's number or ids show that the service ignores paging, or where it
 *   gives fewer rows than it says there are
 */
export async function* readPages<N extends PagedEndpoint>(
  source: PageSource,
  name: N,
  { query, page: first = 1, perPage = source.pageSize, signal }: PagesInput<N>,
): AsyncGenerator<Page<N>> {
  const seen = new Set<string>();
  const isFiltered = Object.values(query ?? {}).some((value) => value !== undefined);
  let read = 0;
  for (let number = first; ; number += 1) {
    const listing = readListing(await source.fetch({ ...query, page: number, limit: perPage }, signal), name);
    checkNumbers(listing, number, first, perPage);
    const rows = readRows(listing.elements, name, source);
    const fresh = rows.filter(({ id }) => !seen.has(id));
    if (rows.length > 0 && fresh.length === 0)
      throw ignoresPaging(`page ${number} holds the rows of the pages before`);
    for (const { id } of fresh) seen.add(id);
    read += listing.elements.length;
    yield { rows: fresh, total: listing.total, page: number, totalPages: listing.totalPages };
    if (!isLast(listing, number, first, read)) continue;
    if (first === 1 && !isFiltered && listing.total !== undefined && read < listing.total) {
      throw new Failure(
        'network',
        `The service says that there are ${listing.total} rows, and gave ${read}.`,
        {
          hint: 'Run the command again; if it stays like this, the list is incomplete at the service.',
        },
      );
    }
    return;
  }
}

/** The paging members may stand beside the data (teams, documents) or inside it (bots). */
function readListing({ data, meta }: Answer, name: PagedEndpoint): Listing {
  const elements = Array.isArray(data)
    ? data
    : isObject(data)
      ? Object.values(data).find(Array.isArray)
      : undefined;
  if (!elements) {
    throw new Failure('network', `The service's answer to ${endpoints[name].path} holds no list.`, {
      hint: 'Check the address with botctl whoami.',
    });
  }
  const inside = isObject(data) ? (data.pagination ?? data.meta) : undefined;
  const paging = isObject(meta) ? meta : isObject(inside) ? inside : {};
  return {
    elements,
    page: count(paging.page),
    limit: count(paging.limit),
    total: count(paging.total),
    totalPages: count(paging.totalPages),
  };
}

function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined;
}

function checkNumbers(
  { page, limit, elements }: Listing,
  asked: number,
  first: number,
  perPage: number,
): void {
  // Some services count from 0, and some answer the last page for one that is too far; both show on later pages too.
  if (page !== undefined && page !== asked && elements.length > 0)
    throw ignoresPaging(`it answered page ${page} for page ${asked}`);
  if (first === 1) return;
  const size = limit ?? Math.max(elements.length, perPage);
  if (size === perPage) return;
  throw new Failure(
    'network',
    `The service puts ${size} rows on a page instead of ${perPage}, so page ${first} is another one.`,
    {
      hint: `Use --per-page ${size}, or leave --page out.`,
    },
  );
}

function ignoresPaging(evidence: string): Failure {
  return new Failure('network', `The service ignores paging: ${evidence}.`, {
    hint: 'The rows shown so far are not all. Set the names of its paging parameters in the profile.',
  });
}

function readRows<N extends PagedEndpoint>(
  elements: readonly unknown[],
  name: N,
  source: PageSource,
): readonly RowOf<N>[] {
  const rows: RowOf<N>[] = [];
  for (const element of elements) {
    const parsed = parseLoosely(forms, rowSchemas[name], element);
    // Parsed with the loose form of this list's row, whose type RowOf is.
    if (parsed.success) rows.push(parsed.data as RowOf<N>);
  }
  const odd = elements.length - rows.length;
  if (odd > 0) source.onNote(`${odd} ${odd === 1 ? 'row has' : 'rows have'} no id and can't be shown.`);
  return rows;
}

/** Whether the service has no page after this one, by what it says or, where it says nothing, by an empty page. */
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
