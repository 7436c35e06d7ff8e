import { type Choice, known, unknown } from '../choice.ts';
import {
  areSame,
  candidatesFor,
  firstPageName,
  fullest,
  isSame,
  type ListName,
  lists,
  pageNumberName,
  pageSizeName,
} from '../lists.ts';
import type { Asked, HeardList, Reading } from '../reading.ts';

const candidates = [
  ...['page', 'pageNumber', 'page_number', 'p', 'pageNo', 'page_no', 'page[number]', 'pageIndex'],
  ...['page_index', 'currentPage', 'current_page', 'pg'],
];

/** The parameter that says which page is asked for. */
export const pageNumber: Choice = {
  name: pageNumberName,
  specification: 'not shown',
  async learn(service) {
    const place = await pages(service);
    if (!place)
      return unknown(
        'No list is known to have a second page: there are too few rows, or nobody knows how to ask for short pages.',
        'Two teams, bots or documents, and the name of the page size.',
      );
    const { name, asked } = place;
    const tried = candidatesFor(service.queryNames.page, candidates);
    for (const candidate of tried) {
      const first = await firstOf(service, place, candidate);
      if (first === undefined) continue;
      const pages = Object.keys(asked).length > 0 ? ', a row on a page,' : '';
      const how = `With ${candidate}=${first + 1}${pages} other ${lists[name]} come than without.`;
      return known(candidate, candidate, how);
    }
    return unknown(
      `None of ${tried.join(', ')} leads to another page.`,
      'Its name, from who runs the service, for --query-name page=WORD.',
    );
  },
};

/** The number of the first page. */
export const firstPage: Choice = {
  name: firstPageName,
  specification: 'a page number is at least 1',
  async learn(service) {
    const name = service.found(pageNumberName);
    const place = await pages(service);
    const first = typeof name === 'string' && place ? await firstOf(service, place, name) : undefined;
    if (first === undefined)
      return unknown('Nobody knows how to ask for another page.', 'The name of the page number.');
    return known(String(first), first, `${name}=${first} gives the page that comes without a number.`);
  },
};

/** Short pages of a list, of which there are two at least. */
interface Pages {
  readonly name: ListName;
  readonly plain: HeardList;
  readonly asked: Asked;
  readonly start: HeardList;
}

async function pages(service: Reading): Promise<Pages | undefined> {
  const { name, plain } = await fullest(service);
  const size = service.found(pageSizeName);
  const { rows, listing } = plain;
  const isLong = listing?.total !== undefined && listing.total > rows.length && rows.length > 0;
  if (typeof size !== 'string') return isLong ? { name, plain, asked: {}, start: plain } : undefined;
  if (rows.length < 2) return undefined;
  const asked = { [size]: 1 };
  return { name, plain, asked, start: await service.list(name, asked) };
}

/** Returns the number of the first page if a parameter says which page comes, or undefined if it does not. */
async function firstOf(
  service: Reading,
  { name, plain, asked, start }: Pages,
  candidate: string,
): Promise<0 | 1 | undefined> {
  const page = (number: number): Promise<HeardList> => service.list(name, { ...asked, [candidate]: number });
  const second = await page(2);
  if (second.outcome !== 'answered' || !second.listing || areSame(second, start)) return undefined;
  const first = await page(1);
  if (first.rows.length === 0) return undefined;
  const isFromOne = areSame(first, start);
  if (!isFromOne && !areSame(await page(0), start)) return undefined;
  if (!isNext(isFromOne ? second : first, start, plain)) return undefined;
  // A filter that finds the numbers in names, which count too, finds the same rows on pages of another length.
  const [size] = Object.keys(asked);
  const third = plain.rows[2];
  if (size !== undefined && third) {
    const longer = await service.list(name, { [size]: 2, [candidate]: isFromOne ? 2 : 1 });
    if (!longer.rows[0] || !isSame(longer.rows[0], third)) return undefined;
  }
  return isFromOne ? 1 : 0;
}

/** True for rows that come after the first page: none of its rows, and where they were seen before, the next of those. */
function isNext({ rows }: HeardList, start: HeardList, plain: HeardList): boolean {
  const [row] = rows;
  if (!row || rows.some((one) => start.rows.some((other) => isSame(one, other)))) return false;
  const next = plain.rows[start.rows.length];
  return next === undefined || isSame(row, next);
}
