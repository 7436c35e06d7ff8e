import type { Failure } from '../lib/errors.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

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
    page: toCount(paging.page),
    limit: toCount(paging.limit),
    total: toCount(paging.total),
    totalPages: toCount(paging.totalPages),
  };
}

/**
 * The only list in an envelope, or where a service adds others the one that has things in it, or none yet; an envelope
 * that doesn't page is told from a thing by having no id.
 */
function soleList(
  envelope: Readonly<Record<string, unknown>>,
  isPaged: boolean,
): readonly unknown[] | undefined {
  if (!isPaged && 'id' in envelope) return undefined;
  const lists = Object.values(envelope).filter((value) => Array.isArray(value));
  if (lists.length === 1) return lists[0];
  const [ofThings, ...others] = lists.filter((list) => list.some(hasId));
  if (others.length > 0) return undefined;
  return ofThings ?? lists.find((list) => list.length === 0);
}

/**
 * Returns what to add to the numbers that answers show, so that they count from 1. A service whose first page is 0 may
 * show numbers from 1 all the same, as the first answer that is read tells.
 * @param number the page that it answers, counted from 1
 */
export function pageNumberOffset({ page }: Listing, number: number, firstPage: number): number {
  return page === number ? 0 : 1 - firstPage;
}

/**
 * True if a total may be that of the page alone: the page is full, and has exactly so many rows.
 * @param perPage rows that it was asked for
 */
export function mayCountPage({ elements, limit, total, totalPages }: Listing, perPage: number): boolean {
  return totalPages === undefined && elements.length === total && elements.length >= (limit || perPage);
}

/** True if the service refuses a page. If it is down, slow or busy, that says nothing about the page. */
export function isRefused({ kind, status = 0 }: Failure): boolean {
  if (kind === 'authentication' || kind === 'rateLimited') return false;
  return kind === 'rejected' || kind === 'notFound' || (status >= 400 && status < 500);
}

/** True for what has an id, as the things of every list have. */
export function isRow(element: unknown): element is JsonObject & { readonly id: string } {
  return isObject(element) && typeof element.id === 'string';
}

function hasId(element: unknown): boolean {
  return isObject(element) && [element.id, element.key_id].some((id) => id !== undefined && id !== null);
}

/** A number that counts something, or its text; undefined for anything else. */
export function toCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined;
}
