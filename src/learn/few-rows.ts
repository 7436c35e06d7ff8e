import { areSame, fullest, isOneOf, type ListName } from './lists.ts';
import { nobodysParameter } from './nobodys-parameter.ts';
import type { HeardList, Reading } from './reading.ts';

// Where rows are too few to be cut into pages, the numbers that answers tell show what a parameter is, if they follow what was asked.

/** A list, as it comes without a query. */
interface Place {
  readonly name: ListName;
  readonly plain: HeardList;
}

/** Returns how a parameter is known to be the size of pages, by answers that hold one row in any case; undefined if it is not. */
export async function sizeByNumbers(
  service: Reading,
  { name, plain }: Place,
  candidate: string,
): Promise<string | undefined> {
  for (const size of [1, 2]) {
    const heard = await service.list(name, { [candidate]: size });
    if (heard.listing?.limit !== size || !areSame(heard, plain)) return undefined;
  }
  if (!(await isUnchanged(service, { name, plain }))) return undefined;
  return `To ${candidate}=1 the answer says limit 1, and to ${candidate}=2 limit 2.`;
}

/** How a parameter is known to be the number of the page, and which number the first one has. */
export interface PageKnown {
  readonly first: 0 | 1;
  readonly how: string;
}

/** Returns how a parameter is known to be the number of the page, by the end of a list of one page; undefined if it is not. */
export async function pageByEnd(
  service: Reading,
  { name, plain }: Place,
  candidate: string,
): Promise<PageKnown | undefined> {
  const page = (value: number | string): Promise<HeardList> => service.list(name, { [candidate]: value });
  const second = await page(2);
  if (!second.listing || second.rows.length > 0 || plain.rows.length === 0) return undefined;
  const first = await page(1);
  if (!first.listing || first.rows.some((row) => !isOneOf(row, plain))) return undefined;
  const numbers = [plain, first, second].map(({ listing }) => listing?.page);
  const known = numbers.includes(undefined)
    ? await byRefusals(page, plain, candidate)
    : await byNumbers(page, plain, candidate);
  return known && (await isUnchanged(service, { name, plain })) ? known : undefined;
}

/** A number of rows to pass over, or a filter, does not change the number that the answer tells. */
async function byNumbers(
  page: (value: number) => Promise<HeardList>,
  plain: HeardList,
  candidate: string,
): Promise<PageKnown | undefined> {
  const [one, two] = [await page(1), await page(2)];
  const told = ({ listing }: HeardList): number => listing?.page ?? Number.NaN;
  if (told(two) !== told(one) + 1) return undefined;
  const first = areSame(one, plain) ? 1 : 0;
  const start = first === 1 ? one : await page(0);
  if (!areSame(start, plain) || told(start) !== told(plain) || told(one) !== told(start) + 1 - first)
    return undefined;
  return {
    first,
    how: `To ${candidate}=${first} the rows come that come without it, to ${candidate}=${first + 1} none, and the answers say page ${told(start)} and ${told(start) + 1}.`,
  };
}

/** What has rows at 1, none at 2, and refuses 0 and what is no number, counts from 1. A filter of text refuses neither. */
async function byRefusals(
  page: (value: number | string) => Promise<HeardList>,
  plain: HeardList,
  candidate: string,
): Promise<PageKnown | undefined> {
  if (!areSame(await page(1), plain)) return undefined;
  for (const value of ['x', 0]) if ((await page(value)).outcome !== 'refused') return undefined;
  return {
    first: 1,
    how: `To ${candidate}=1 the rows come that come without it, and to ${candidate}=2 none; ${candidate}=0 and ${candidate}=x are refused.`,
  };
}

/** A row that came or went meanwhile may have looked like an effect. */
async function isUnchanged(service: Reading, { name, plain }: Place): Promise<boolean> {
  return areSame(await service.list(name, {}, 'few rows'), plain);
}

/**
 * Returns what is to be said of candidates that the service knows, though nothing shows as what: those that it takes where
 * it refuses a name that nobody has. @throws Stopped
 */
export async function takenNames(
  service: Reading,
  candidates: readonly string[],
  value: number,
): Promise<string> {
  const { name, plain } = await fullest(service);
  if (!plain.listing) return '';
  if ((await service.list(name, { [nobodysParameter]: 1 })).outcome !== 'refused') return '';
  const taken: string[] = [];
  for (const candidate of candidates)
    if ((await service.list(name, { [candidate]: value })).outcome === 'answered') taken.push(candidate);
  const words = taken.length === 0 ? 'none of its candidates' : taken.join(', ');
  return ` The service refuses a name that nobody has, and takes ${words}.`;
}
