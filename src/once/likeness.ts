import type { Api } from '../client/api.ts';
import { asText, isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import { mayBeStoredAs, normalizeForComparison } from '../lib/text/compare.ts';

/** Tolerance between times reported by one service: they have whole seconds, or come from several machines. */
const timeToleranceMs = 2000;

/** Tolerance for this machine's clock, used if the service doesn't report the time. */
const clockToleranceMs = 5 * 60_000;

/** Tolerance for a time without time zone. */
const zoneToleranceMs = 26 * 60 * 60_000;

/** How likely it is that a row is the object of a create. */
export type Likeness =
  /** Every shown member has the value that was sent. */
  | 'same'
  /** The same once both names are normalized by `normalizeForComparison`. */
  | 'near'
  /** The service may have changed the values, or shows too few of them to decide. */
  | 'maybe'
  | 'other';

/** Returns how likely it is that a shown name is the name that was sent. */
export function nameLikeness(shown: unknown, sent: string): Likeness {
  if (shown === sent) return 'same';
  if (typeof shown !== 'string' || shown.trim() === '') return 'maybe';
  if (normalizeForComparison(shown) === normalizeForComparison(sent)) return 'near';
  return mayBeStoredAs(sent, shown) ? 'maybe' : 'other';
}

/** The period in which a call may have taken effect, by the service's clock if known. */
export interface Period {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to?: number;
  /** Whether the times come from the service's clock. */
  readonly isServiceTime: boolean;
}

/**
 * Returns whether a row was created in a period: `certain` by its time, `possible` if its time may be in another time
 * zone or from another clock. A row without a time counts as certain.
 */
export function creationMatch(
  { created_at: shown }: JsonObject,
  { from, to = Infinity, isServiceTime }: Period,
): 'certain' | 'possible' | 'no' {
  const created = Date.parse(asText(shown) ?? '');
  if (Number.isNaN(created)) return 'certain';
  const isWithin = (before: number, after: number): boolean =>
    created >= from - before && created <= to + after;
  if (isWithin(isServiceTime ? timeToleranceMs : clockToleranceMs, 0)) return 'certain';
  return isWithin(zoneToleranceMs, zoneToleranceMs) ? 'possible' : 'no';
}

/**
 * Returns how likely it is that a row was created by a request in a period.
 * @param sent the name and the members that the request set
 */
export function likenessOf(
  row: JsonObject,
  { name, set }: { readonly name: string; readonly set: JsonObject },
  period: Period,
): Likeness {
  const byName = nameLikeness(row.name, name);
  const byTime = creationMatch(row, period);
  if (byName === 'other' || byTime === 'no') return 'other';
  const { name: _name, ...others } = set;
  return byTime === 'certain' && isConsistent(row, others) ? byName : 'maybe';
}

/**
 * Returns the period that starts when a call began.
 * @param began by this machine's clock, in milliseconds since 1970
 * @param lasting milliseconds in which it may take effect; unlimited if undefined
 */
export function periodSince(api: Pick<Api, 'clockAhead'>, began: number, lasting?: number): Period {
  const ahead = api.clockAhead();
  const from = began + (ahead ?? 0);
  return { from, isServiceTime: ahead !== undefined, ...(lasting !== undefined && { to: from + lasting }) };
}

/**
 * Returns true if a shown value does not contradict the value sent. A member that isn't shown contradicts nothing; ids
 * may differ in case, numbers may be text, and texts may be normalized.
 */
export function isConsistent(shown: unknown, sent: unknown): boolean {
  if (shown === undefined || shown === null || sent === undefined) return true;
  if (Array.isArray(sent)) {
    return (
      !Array.isArray(shown) ||
      (shown.length === sent.length && sent.every((one, at) => isConsistent(shown[at], one)))
    );
  }
  if (isObject(sent)) {
    return (
      !isObject(shown) ||
      Object.entries(sent).every(([name, value]) => isConsistent(ownMember(shown, name), value))
    );
  }
  return normalizeForComparison(String(shown)) === normalizeForComparison(String(sent));
}
