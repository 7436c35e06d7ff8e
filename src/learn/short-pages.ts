import { areSame, fullest, isOneOf, isSame, type ListName, pageSizeName } from './lists.ts';
import type { Asked, HeardList, Reading } from './reading.ts';

/** Short pages of a list, of which there are two at least. */
export interface ShortPages {
  readonly name: ListName;
  readonly plain: HeardList;
  readonly asked: Asked;
  readonly start: HeardList;
}

/** Returns the short pages of the fullest list, or undefined if it is not known to have two. @throws Stopped */
export async function shortPages(service: Reading): Promise<ShortPages | undefined> {
  const { name, plain } = await fullest(service);
  const size = service.found(pageSizeName);
  const { rows, listing } = plain;
  // Pages of one row look like rows that are passed over one by one.
  const isLong = listing?.total !== undefined && listing.total > rows.length && rows.length > 1;
  if (typeof size !== 'string') return isLong ? { name, plain, asked: {}, start: plain } : undefined;
  if (rows.length < 2) return undefined;
  const asked = { [size]: 1 };
  return { name, plain, asked, start: await service.list(name, asked) };
}

/** Returns the number of the first page if a parameter says which page comes, or undefined if it does not. */
export async function firstOf(
  service: Reading,
  { name, plain, asked, start }: ShortPages,
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
  if (size !== undefined) {
    // So does a number of rows to pass over, which counts like pages of one row.
    const { rows } = await service.list(name, { [size]: 2, [candidate]: isFromOne ? 2 : 1 });
    if (third ? !rows[0] || !isSame(rows[0], third) : rows.some((row) => isOneOf(row, plain)))
      return undefined;
  }
  // Where a row came meanwhile, each page is what the one before it was.
  if (!areSame(await service.list(name, asked, 'pages'), start)) return undefined;
  return isFromOne ? 1 : 0;
}

/** True for rows that come after the first page: none of its rows, and where they were seen before, the next of those. */
function isNext({ rows }: HeardList, start: HeardList, plain: HeardList): boolean {
  const [row] = rows;
  if (!row || rows.some((one) => isOneOf(one, start))) return false;
  const next = plain.rows[start.rows.length];
  return next === undefined || isSame(row, next);
}
