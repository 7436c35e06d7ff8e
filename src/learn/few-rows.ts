import type { ListReader, ReadResult } from './list-reader.ts';
import { containsRow, haveSameRows, type ListName } from './lists.ts';

// With too few rows for two pages, the page numbers and limits in responses can still show the role of a parameter,
// provided that they follow the query.

/** A list and its response without a query. */
interface Place {
  readonly name: ListName;
  readonly plain: ReadResult;
}

/**
 * Returns the evidence that a parameter is the page size, although every page has one row; undefined if there is none.
 * @throws ReadingStopped
 */
export async function sizeByNumbers(
  service: ListReader,
  { name, plain }: Place,
  candidate: string,
): Promise<string | undefined> {
  for (const size of [1, 2]) {
    const heard = await service.list(name, { [candidate]: size });
    if (heard.listing?.limit !== size || !haveSameRows(heard, plain)) return undefined;
  }
  if (!(await isUnchanged(service, { name, plain }))) return undefined;
  return `For ${candidate}=1 the response says limit 1, for ${candidate}=2 it says limit 2.`;
}

/** The number of the first page, and the evidence. */
export interface PageNumberEvidence {
  readonly first: 0 | 1;
  readonly how: string;
}

/**
 * Returns the evidence that a parameter is the page number, from the end of a list of one page; undefined if there is
 * none.
 * @throws ReadingStopped
 */
export async function pageByEnd(
  service: ListReader,
  { name, plain }: Place,
  candidate: string,
): Promise<PageNumberEvidence | undefined> {
  const page = (value: number | string): Promise<ReadResult> => service.list(name, { [candidate]: value });
  const second = await page(2);
  if (!second.listing || second.rows.length > 0 || plain.rows.length === 0) return undefined;
  const first = await page(1);
  if (!first.listing || first.rows.some((row) => !containsRow(row, plain))) return undefined;
  const numbers = [plain, first, second].map(({ listing }) => listing?.page);
  const known = numbers.includes(undefined)
    ? await byRefusals(page, plain, candidate)
    : await byNumbers(page, plain, candidate);
  return known && (await isUnchanged(service, { name, plain })) ? known : undefined;
}

/** Detects the page number by the numbers in responses, which an offset or a filter doesn't change. */
async function byNumbers(
  page: (value: number) => Promise<ReadResult>,
  plain: ReadResult,
  candidate: string,
): Promise<PageNumberEvidence | undefined> {
  const [one, two] = [await page(1), await page(2)];
  const told = ({ listing }: ReadResult): number => listing?.page ?? Number.NaN;
  if (told(two) !== told(one) + 1) return undefined;
  const first = haveSameRows(one, plain) ? 1 : 0;
  const start = first === 1 ? one : await page(0);
  if (!haveSameRows(start, plain) || told(start) !== told(plain) || told(one) !== told(start) + 1 - first)
    return undefined;
  return {
    first,
    how: `${candidate}=${first} gave the same rows as without it, ${candidate}=${first + 1} gave none. The responses say page ${told(start)} and ${told(start) + 1}.`,
  };
}

/**
 * Detects a page number that counts from 1: it returns rows at 1 and none at 2, and is refused for 0 and for text. A
 * text filter is refused for neither.
 */
async function byRefusals(
  page: (value: number | string) => Promise<ReadResult>,
  plain: ReadResult,
  candidate: string,
): Promise<PageNumberEvidence | undefined> {
  if (!haveSameRows(await page(1), plain)) return undefined;
  for (const value of ['x', 0]) if ((await page(value)).outcome !== 'refused') return undefined;
  return {
    first: 1,
    how: `${candidate}=1 gave the same rows as without it, ${candidate}=2 gave none. ${candidate}=0 and ${candidate}=x are refused.`,
  };
}

/**
 * Returns true if the list is unchanged. A row added or deleted meanwhile can look like an effect of the parameter.
 */
async function isUnchanged(service: ListReader, { name, plain }: Place): Promise<boolean> {
  return haveSameRows(await service.list(name, {}, 'few rows'), plain);
}
