import type { Failure } from '../lib/errors.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

/** The content of a list response, from either of the two envelopes. */
export interface Listing {
  readonly elements: readonly unknown[];
  readonly page: number | undefined;
  readonly limit: number | undefined;
  readonly total: number | undefined;
  readonly totalPages: number | undefined;
}

/**
 * Parses the envelope of a list; returns undefined if there is none. The paging members may be beside the data (teams,
 * documents) or inside it (bots). An object that contains lists, as a bot contains its questions, is not a list.
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
 * Returns the only list in an envelope. If there are several, returns the only one with objects in it, or else an empty
 * one. An envelope without paging members is distinguished from an object by having no id.
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
 * Returns the offset to add to page numbers in responses so that they count from 1. A service whose first page is 0 may
 * still report numbers from 1; the first response shows which.
 * @param number page requested, counted from 1
 */
export function pageNumberOffset({ page }: Listing, number: number, firstPage: number): number {
  return page === number ? 0 : 1 - firstPage;
}

/**
 * Returns true if a total may count only this page: the page is full, and the total equals its number of rows.
 * @param perPage rows requested per page
 */
export function mayCountPage({ elements, limit, total, totalPages }: Listing, perPage: number): boolean {
  return totalPages === undefined && elements.length === total && elements.length >= (limit || perPage);
}

/** Returns true if the service refuses a page. If it is down, slow or busy, that says nothing about the page. */
export function isRefused({ kind, status = 0 }: Failure): boolean {
  if (kind === 'authentication' || kind === 'rateLimited') return false;
  return kind === 'rejected' || kind === 'notFound' || (status >= 400 && status < 500);
}

/** Returns true for an object with an id, as every row of a list has. */
export function isRow(element: unknown): element is JsonObject & { readonly id: string } {
  return isObject(element) && typeof element.id === 'string';
}

function hasId(element: unknown): boolean {
  return isObject(element) && [element.id, element.key_id].some((id) => id !== undefined && id !== null);
}

/** Returns a count from a number or its text; undefined for anything else. */
export function toCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined;
}
