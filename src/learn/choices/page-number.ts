import { type Choice, knownOutcome, type Outcome, unknownOutcome } from '../choice.ts';
import { pageByEnd } from '../few-rows.ts';
import type { ListParameters, ListReader, ReadResult } from '../list-reader.ts';
import {
  candidatesFor,
  containsRow,
  firstPageName,
  fullest,
  haveSameRows,
  isSame,
  type ListName,
  lists,
  pageNumberName,
  pageSizeName,
} from '../lists.ts';

const candidates = [
  ...['page', 'pageNumber', 'page_number', 'p', 'pageNo', 'page_no', 'page[number]', 'pageIndex'],
  ...['page_index', 'currentPage', 'current_page', 'pg'],
];

/** The name of the page number. */
export const pageNumber: Choice = {
  name: pageNumberName,
  specification: 'not specified',
  async learn(service) {
    const tried = candidatesFor(service.settings.queryNames?.page, candidates);
    const place = await shortPages(service);
    if (!place) return byEnd(service, tried);
    const { name, asked } = place;
    for (const candidate of tried) {
      const first = await firstOf(service, place, candidate);
      if (first === undefined) continue;
      const pages = Object.keys(asked).length > 0 ? ' and one row per page' : '';
      const how = `${candidate}=${first + 1}${pages} gave different ${lists[name]}.`;
      return knownOutcome(candidate, candidate, how);
    }
    return unknownOutcome(
      `None of ${tried.join(', ')} gives another page.`,
      'Ask the operator of the service for the name, then use --query-name page=WORD.',
    );
  },
};

/** Detects the page number if no list has a second page: requesting one returns no rows. */
async function byEnd(service: ListReader, tried: readonly string[]): Promise<Outcome> {
  const place = await fullest(service);
  for (const candidate of place.plain.rows.length > 0 ? tried : []) {
    const found = await pageByEnd(service, place, candidate);
    if (found) return knownOutcome(candidate, candidate, found.how);
  }
  return unknownOutcome(
    'No list has a second page: there are too few rows, or the name of the page size is unknown.',
    'Two teams, bots or documents, and the name of the page size.',
  );
}

/** The number of the first page. */
export const firstPage: Choice = {
  name: firstPageName,
  specification: 'a page number is at least 1',
  async learn(service) {
    const name = service.found(pageNumberName);
    const place = await shortPages(service);
    const first =
      typeof name !== 'string'
        ? undefined
        : place
          ? await firstOf(service, place, name)
          : (await pageByEnd(service, await fullest(service), name))?.first;
    if (first === undefined)
      return unknownOutcome('The name of the page number is unknown.', 'The name of the page number.');
    return knownOutcome(String(first), first, `${name}=${first} gives the same page as no number.`);
  },
};

/** A list with at least two pages when read in short pages. */
interface ShortPages {
  readonly name: ListName;
  readonly plain: ReadResult;
  readonly asked: ListParameters;
  readonly start: ReadResult;
}

/**
 * Returns the fullest list in short pages, or undefined if it is not known to have two.
 * @throws ReadingStopped
 */
async function shortPages(service: ListReader): Promise<ShortPages | undefined> {
  const { name, plain } = await fullest(service);
  const size = service.found(pageSizeName);
  const { rows, listing } = plain;
  // With pages of one row an offset looks like a page number.
  const isLong = listing?.total !== undefined && listing.total > rows.length && rows.length > 1;
  if (typeof size !== 'string') return isLong ? { name, plain, asked: {}, start: plain } : undefined;
  if (rows.length < 2) return undefined;
  const asked = { [size]: 1 };
  return { name, plain, asked, start: await service.list(name, asked) };
}

/**
 * Returns the number of the first page if a parameter is the page number, otherwise undefined.
 * @throws ReadingStopped
 */
async function firstOf(
  service: ListReader,
  { name, plain, asked, start }: ShortPages,
  candidate: string,
): Promise<0 | 1 | undefined> {
  const page = (number: number): Promise<ReadResult> => service.list(name, { ...asked, [candidate]: number });
  const second = await page(2);
  if (second.outcome !== 'answered' || !second.listing || haveSameRows(second, start)) return undefined;
  const first = await page(1);
  if (first.rows.length === 0) return undefined;
  const isFromOne = haveSameRows(first, start);
  if (!isFromOne && !haveSameRows(await page(0), start)) return undefined;
  if (!isNext(isFromOne ? second : first, start, plain)) return undefined;
  // A filter that finds numbers in names returns the same rows for every page size.
  const [size] = Object.keys(asked);
  const third = plain.rows[2];
  if (size !== undefined) {
    // So does an offset with pages of one row.
    const { rows } = await service.list(name, { [size]: 2, [candidate]: isFromOne ? 2 : 1 });
    if (third ? !rows[0] || !isSame(rows[0], third) : rows.some((row) => containsRow(row, plain)))
      return undefined;
  }
  // A row added meanwhile shifts the rows of each page to the next one.
  if (!haveSameRows(await service.list(name, asked, 'pages'), start)) return undefined;
  return isFromOne ? 1 : 0;
}

/**
 * Returns true if rows directly follow the first page: none is on it, and they begin with the row known to come next.
 */
function isNext({ rows }: ReadResult, start: ReadResult, plain: ReadResult): boolean {
  const [row] = rows;
  if (!row || rows.some((one) => containsRow(one, start))) return false;
  const next = plain.rows[start.rows.length];
  return next === undefined || isSame(row, next);
}
