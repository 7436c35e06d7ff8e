import type { PagedEndpoint } from '../client/api.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import { largestPage as longestPage } from '../settings/list-query.ts';
import { type Outcome, unknownOutcome } from './choice.ts';
import {
  breakage,
  type ListParameters,
  type ListReader,
  ReadingStopped,
  type ReadResult,
} from './list-reader.ts';

export type ListName = PagedEndpoint;

/** The paged lists, and the nouns of their rows. */
export const lists = { listTeams: 'teams', listBots: 'bots', listDocuments: 'documents' } as const;

const listNames: readonly ListName[] = ['listTeams', 'listBots', 'listDocuments'];

/** The names of choices that others depend on. */
export const pageSizeName = 'name of the page size';
export const pageNumberName = 'name of the page number';
export const largestPageName = 'largest page';
export const firstPageName = 'first page';

/** Maximum rows per page that the specification allows. */
export const mostRows = longestPage;

/**
 * Returns the list with the most rows on its page, read without a query. If the service stops responding, the lists
 * read so far suffice, provided that one has two rows.
 * @throws ReadingStopped
 */
export async function fullest(service: ListReader): Promise<{ name: ListName; plain: ReadResult }> {
  const all: { name: ListName; plain: ReadResult }[] = [];
  for (const name of listNames) {
    const plain = await service.list(name).catch((thrown: unknown) => {
      if (!(thrown instanceof ReadingStopped) || all.every((one) => one.plain.rows.length < 2)) throw thrown;
      return undefined;
    });
    if (plain) all.push({ name, plain });
  }
  const [most] = all.sort(
    (a, b) =>
      b.plain.rows.length - a.plain.rows.length ||
      totalOf(b) - totalOf(a) ||
      Number(b.plain.listing !== undefined) - Number(a.plain.listing !== undefined),
  );
  return most ?? { name: 'listTeams', plain: await service.list('listTeams') };
}

function totalOf({ plain }: { readonly plain: ReadResult }): number {
  return plain.listing?.total ?? 0;
}

/** A page of maximum length, and the query that returned it. */
export interface Sample {
  readonly query: ListParameters;
  readonly result: ReadResult;
}

/** Reads as many rows of a list as fit on one page. */
export async function sampleOf(service: ListReader, name: ListName): Promise<Sample> {
  const size = service.found(pageSizeName);
  if (typeof size !== 'string') return { query: {}, result: await service.list(name) };
  const largest = service.found(largestPageName);
  const query = { [size]: typeof largest === 'number' ? Math.min(largest, mostRows) : mostRows };
  const result = await service.list(name, query);
  return result.outcome === 'answered' ? { query, result } : { query: {}, result: await service.list(name) };
}

/**
 * Returns true if all lists were read and none has a row.
 * @throws ReadingStopped
 */
export async function isEmpty(service: ListReader): Promise<boolean> {
  const all = await Promise.all(listNames.map((name) => service.list(name)));
  return all.every(({ listing, rows }) => listing !== undefined && rows.length === 0);
}

/**
 * Returns the outcome if nothing was read, or undefined if the service responded: a refusal doesn't mean that the list
 * is empty.
 */
export function unreadOutcome(noun: string, heard: ReadResult): Outcome | undefined {
  if (heard.outcome === 'answered') return undefined;
  return heard.outcome === 'failed'
    ? unknownOutcome(`The service ${breakage(heard)} when listing ${noun}.`, 'Try again.')
    : unknownOutcome(
        `The service refused to list ${noun} with ${heard.status}.`,
        'Use a key that may list them.',
      );
}

/**
 * Returns whether a list continues after its first page, which then has the maximum length. Undefined if the next page
 * can't be requested, or the first one may lack rows. The total is not used, because it may be wrong.
 * @throws ReadingStopped
 */
export async function hasNextPage(
  service: ListReader,
  name: ListName,
  { query, result }: Sample,
): Promise<boolean | undefined> {
  const [size, page, first] = [pageSizeName, pageNumberName, firstPageName].map((one) => service.found(one));
  if (typeof size !== 'string' || typeof page !== 'string' || typeof first !== 'number') return undefined;
  if (result.rows.length === 0) return undefined;
  const next = await service.list(name, { ...query, [page]: first + 1 });
  if (next.outcome !== 'answered' || !next.listing) return undefined;
  if (next.rows.some((row) => containsRow(row, result))) return undefined;
  const [row] = next.rows;
  if (!row) return false;
  // A page with omitted rows, such as those hidden from the key, looks like a shorter one.
  const same = await service.list(name, { [size]: 1, [page]: first + result.rows.length });
  return isSame(row, same.rows[0]) ? true : undefined;
}

/** Returns true if two responses contain the same rows in the same order. */
export function haveSameRows(one: ReadResult, other: ReadResult): boolean {
  return one.rows.length === other.rows.length && one.rows.every((row, at) => isSame(row, other.rows[at]));
}

/**
 * Returns true if a list still returns the same rows and the same total: a row on a later page may have been added or
 * removed. It is read twice: if the order changes each time, one response may match by chance.
 * @param reason distinguishes these reads from others of the list
 * @throws ReadingStopped
 */
export async function isSteady(
  service: ListReader,
  name: ListName,
  { query, result }: Sample,
  reason: string,
): Promise<boolean> {
  for (const again of [reason, `${reason} once more`]) {
    const now = await service.list(name, query, again);
    if (!haveSameRows(now, result) || now.listing?.total !== result.listing?.total) return false;
  }
  return true;
}

/** Returns true if a longer response begins with the rows of a shorter one. */
export function isPrefix(short: ReadResult, long: ReadResult): boolean {
  return short.rows.every((row, at) => isSame(row, long.rows[at]));
}

/** Describes the candidates for which the service failed, so that they remain undecided. */
export function brokenAt(candidates: readonly string[]): string {
  return candidates.length === 0 ? '' : `, and failed for ${candidates.join(', ')}`;
}

/** Returns true if a response contains the row. */
export function containsRow(row: JsonObject, { rows }: ReadResult): boolean {
  return rows.some((one) => isSame(one, row));
}

/** Returns true if two rows are the same, by id; rows without an id by content. */
export function isSame(one: JsonObject, other: unknown): boolean {
  if (!isObject(other)) return false;
  return typeof one.id === 'string' ? one.id === other.id : JSON.stringify(one) === JSON.stringify(other);
}

/** Returns candidates in the order in which they are tried, with the name in the profile first. */
export function candidatesFor(own: string | undefined, others: readonly string[]): readonly string[] {
  return [...new Set(own === undefined ? others : [own, ...others])];
}
