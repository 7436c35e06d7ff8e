import type { PagedEndpoint } from '../client/api.ts';
import { endpoints } from '../contract/endpoints.ts';
import { isId } from '../lib/ids.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import { largestPage as longestPage } from '../settings/list-query.ts';
import { type Outcome, unknown } from './choice.ts';
import { type Asked, breakage, type Heard, type HeardList, type Reading, Stopped } from './reading.ts';

export type ListName = PagedEndpoint;

/** The lists of pages, and what their rows are called. */
export const lists = { listTeams: 'teams', listBots: 'bots', listDocuments: 'documents' } as const;

export const listNames: readonly ListName[] = ['listTeams', 'listBots', 'listDocuments'];

/** Names of choices that others build on. */
export const pageSizeName = 'name of the page size';
export const pageNumberName = 'name of the page number';
export const largestPageName = 'largest page';
export const firstPageName = 'first page';

/** Rows on a page where the specification allows no more. */
export const mostRows = longestPage;

/**
 * Returns the list with the most rows on its page, as it comes without a query; of those that could be read where the
 * service answers no more, if they have rows to tell from each other.
 * @throws Stopped
 */
export async function fullest(service: Reading): Promise<{ name: ListName; plain: HeardList }> {
  const all: { name: ListName; plain: HeardList }[] = [];
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

function totalOf({ plain }: { readonly plain: HeardList }): number {
  return plain.listing?.total ?? 0;
}

/** A page of a list that is as long as it may be, and the query that it came by. */
export interface Sample {
  readonly asked: Asked;
  readonly heard: HeardList;
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
    ? unknown(`The service ${breakage(heard)} when the ${noun} were read.`, 'Another try.')
    : unknown(`The service refuses with ${heard.status} to list the ${noun}.`, 'A key that may read them.');
}

/** Rows of a list, and the first of them read by its id, where it has one. */
export async function readFirst(
  service: Reading,
  name: ListName,
): Promise<{ readonly list: HeardList; readonly one: Heard | undefined }> {
  const list = (await sampleOf(service, name)).heard;
  const id = list.rows[0]?.id;
  const isAsked = typeof id === 'string' && isId(id);
  return { list, one: isAsked ? await service.get(`${endpoints[name].path}/${id}`) : undefined };
}

/**
 * Whether there are rows after the first page of a list, which has as many rows as a page may have then: undefined where
 * nobody knows how to ask for them, or it is not known to be full. A total doesn't tell, since it may be untrue.
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
export function areSame(one: HeardList, other: HeardList): boolean {
  return one.rows.length === other.rows.length && one.rows.every((row, at) => isSame(row, other.rows[at]));
}

/** True if the rows of a short answer are those with which a longer one begins. */
export function areFirst(short: HeardList, long: HeardList): boolean {
  return short.rows.every((row, at) => isSame(row, long.rows[at]));
}

/** Returns what is to be said of candidates that nobody knows anything of, since the service broke at them. */
export function brokenAt(candidates: readonly string[]): string {
  return candidates.length === 0 ? '' : `, and at ${candidates.join(', ')} the service broke`;
}

/** True if an answer has a row. */
export function isOneOf(row: JsonObject, { rows }: HeardList): boolean {
  return rows.some((one) => isSame(one, row));
}

/** True if two rows say the same. */
export function isSame(one: JsonObject, other: unknown): boolean {
  if (!isObject(other)) return false;
  return typeof one.id === 'string' ? one.id === other.id : JSON.stringify(one) === JSON.stringify(other);
}

/** Returns candidates in their order, each once, that of the profile before the others. */
export function candidatesFor(own: string | undefined, others: readonly string[]): readonly string[] {
  return [...new Set(own === undefined ? others : [own, ...others])];
}
