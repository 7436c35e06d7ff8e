import type { PagedEndpoint } from '../client/api.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import { largestPage as longestPage } from '../settings/list-query.ts';
import { type Outcome, unknown } from './choice.ts';
import { type Asked, breakage, type Heard, type Reading, Stopped } from './reading.ts';

export type ListName = PagedEndpoint;

/** The lists of pages, and what their rows are called. */
export const lists = { listTeams: 'teams', listBots: 'bots', listDocuments: 'documents' } as const;

const listNames: readonly ListName[] = ['listTeams', 'listBots', 'listDocuments'];

/** The names of choices that others build on. */
export const pageSizeName = 'name of the page size';
export const pageNumberName = 'name of the page number';
export const largestPageName = 'largest page';
export const firstPageName = 'first page';

/** Rows on a page where the specification allows no more. */
export const mostRows = longestPage;

/**
 * Returns the list with the most rows on its page, as it comes without a query. If the service stops answering, the lists
 * that were read by then suffice, provided that one has two rows.
 * @throws Stopped
 */
export async function fullest(service: Reading): Promise<{ name: ListName; plain: Heard }> {
  const all: { name: ListName; plain: Heard }[] = [];
  for (const name of listNames) {
    const plain = await service.list(name).catch((thrown: unknown) => {
      if (!(thrown instanceof Stopped) || all.every((one) => one.plain.rows.length < 2)) throw thrown;
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

function totalOf({ plain }: { readonly plain: Heard }): number {
  return plain.listing?.total ?? 0;
}

/** A page of a list that is as long as it may be, and the query that it came by. */
export interface Sample {
  readonly asked: Asked;
  readonly heard: Heard;
}

/** Reads as many rows of a list as one page may have. */
export async function sampleOf(service: Reading, name: ListName): Promise<Sample> {
  const size = service.found(pageSizeName);
  if (typeof size !== 'string') return { asked: {}, heard: await service.list(name) };
  const largest = service.found(largestPageName);
  const asked = { [size]: typeof largest === 'number' ? Math.min(largest, mostRows) : mostRows };
  const heard = await service.list(name, asked);
  return heard.outcome === 'answered' ? { asked, heard } : { asked: {}, heard: await service.list(name) };
}

/** True if all lists came, and none has a row. @throws Stopped */
export async function isEmpty(service: Reading): Promise<boolean> {
  const all = await Promise.all(listNames.map((name) => service.list(name)));
  return all.every(({ listing, rows }) => listing !== undefined && rows.length === 0);
}

/** Returns why nothing was read, or undefined if the service answered: a refusal doesn't mean that there is nothing. */
export function unread(noun: string, heard: Heard): Outcome | undefined {
  if (heard.outcome === 'answered') return undefined;
  return heard.outcome === 'failed'
    ? unknown(`The service ${breakage(heard)} when listing ${noun}.`, 'Try again.')
    : unknown(`The service refused to list ${noun} with ${heard.status}.`, 'Use a key that may list them.');
}

/**
 * Returns whether a list goes on after its first page, which then is as long as a page may be. Undefined if the next page
 * can't be asked for, or the first one may lack rows. The total is not used, since it may be untrue.
 * @throws Stopped
 */
export async function goesOn(
  service: Reading,
  name: ListName,
  { asked, heard }: Sample,
): Promise<boolean | undefined> {
  const [size, page, first] = [pageSizeName, pageNumberName, firstPageName].map((one) => service.found(one));
  if (typeof size !== 'string' || typeof page !== 'string' || typeof first !== 'number') return undefined;
  if (heard.rows.length === 0) return undefined;
  const next = await service.list(name, { ...asked, [page]: first + 1 });
  if (next.outcome !== 'answered' || !next.listing) return undefined;
  if (next.rows.some((row) => isOneOf(row, heard))) return undefined;
  const [row] = next.rows;
  if (!row) return false;
  // A page of which something was left out, such as what the key may not see, looks like a shorter one.
  const same = await service.list(name, { [size]: 1, [page]: first + heard.rows.length });
  return isSame(row, same.rows[0]) ? true : undefined;
}

/** True if two answers hold the same rows in the same order. */
export function areSame(one: Heard, other: Heard): boolean {
  return one.rows.length === other.rows.length && one.rows.every((row, at) => isSame(row, other.rows[at]));
}

/**
 * True if a list still comes with the same rows and the same total: a row that is on a later page may have come or gone. It is read
 * twice in a row: if the order changes each time, one answer may be the same by chance.
 * @param reason tells these reads from others of the list
 * @throws Stopped
 */
export async function isSteady(
  service: Reading,
  name: ListName,
  { asked, heard }: Sample,
  reason: string,
): Promise<boolean> {
  for (const again of [reason, `${reason} once more`]) {
    const now = await service.list(name, asked, again);
    if (!areSame(now, heard) || now.listing?.total !== heard.listing?.total) return false;
  }
  return true;
}

/** True if the rows of a short answer are those with which a longer one begins. */
export function areFirst(short: Heard, long: Heard): boolean {
  return short.rows.every((row, at) => isSame(row, long.rows[at]));
}

/** Returns words about the candidates at which the service broke, so that nothing is known of them. */
export function brokenAt(candidates: readonly string[]): string {
  return candidates.length === 0 ? '' : `, and failed for ${candidates.join(', ')}`;
}

/** True if an answer contains the row. */
export function isOneOf(row: JsonObject, { rows }: Heard): boolean {
  return rows.some((one) => isSame(one, row));
}

/** True if two rows are the same one, by their ids; rows without an id by their content. */
export function isSame(one: JsonObject, other: unknown): boolean {
  if (!isObject(other)) return false;
  return typeof one.id === 'string' ? one.id === other.id : JSON.stringify(one) === JSON.stringify(other);
}

/** Returns candidates in the order in which they are tried, the name in the profile first. */
export function candidatesFor(own: string | undefined, others: readonly string[]): readonly string[] {
  return [...new Set(own === undefined ? others : [own, ...others])];
}
