import { isObject } from '../lib/json-object.ts';

/** The content of a list's answer, from either of the two envelopes. */
export interface Listing {
  readonly elements: readonly unknown[];
  readonly page: number | undefined;
  readonly limit: number | undefined;
  readonly total: number | undefined;
  readonly totalPages: number | undefined;
}

/**
 * Reads what stands in the envelope of a list, or undefined if there is none. The paging members may
 * stand beside the data (teams, documents) or inside it (bots). A thing that has lists inside, as a bot has its
 * questions, is no list.
 */
export function readListing(data: unknown, meta: unknown): Listing | undefined {
  const inside = isObject(data) ? (data.pagination ?? data.meta) : undefined;
  const elements = Array.isArray(data) ? data : isObject(data) ? soleList(data, isObject(inside)) : undefined;
  if (!elements) return undefined;
  const paging = isObject(meta) ? meta : isObject(inside) ? inside : {};
  return {
    elements,
    page: count(paging.page),
    limit: count(paging.limit),
    total: count(paging.total),
    totalPages: count(paging.totalPages),
  };
}

/**
 * The only list in an envelope, or the only one of things where a service adds others; an envelope that doesn't page is
 * told from a thing by having no id.
 */
function soleList(
  envelope: Readonly<Record<string, unknown>>,
  isPaged: boolean,
): readonly unknown[] | undefined {
  const lists = Object.values(envelope).filter((value) => Array.isArray(value));
  const ofThings = lists.length === 1 ? lists : lists.filter((list) => list.every(isObject));
  return ofThings.length === 1 && (isPaged || !('id' in envelope)) ? ofThings[0] : undefined;
}

/** A number that counts something, or its text; undefined for anything else. */
export function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined;
}
