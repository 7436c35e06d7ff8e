import type { Api } from '../client/api.ts';
import { asText, isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import { mayBeStoredAs, normalizeForComparison } from '../lib/text/compare.ts';

/** Tolerance between times of one service: they count seconds, or come from several machines. */
const timeToleranceMs = 2000;

/** Tolerance for this machine's clock, used if the service doesn't tell the time. */
const clockToleranceMs = 5 * 60_000;

/** Tolerance for a time that is written without its zone. */
const zoneToleranceMs = 26 * 60 * 60_000;

/** How likely it is that a row is the object of a create. */
export type Likeness =
  /** Everything that the service shows is as it was sent. */
  | 'same'
  /** The same, but for what services tidy in a name: see `tidied`. */
  | 'near'
  /** The service may have changed what it was sent, or shows too little to tell. */
  | 'maybe'
  | 'other';

/** Returns how likely it is that a service shows this name for the one that it was sent. */
export function nameLikeness(shown: unknown, sent: string): Likeness {
  if (shown === sent) return 'same';
  if (typeof shown !== 'string' || shown.trim() === '') return 'maybe';
  if (normalizeForComparison(shown) === normalizeForComparison(sent)) return 'near';
  return mayBeStoredAs(sent, shown) ? 'maybe' : 'other';
}

/** The period in which a call may have taken effect, by the service's clock if that is known. */
export interface Period {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to?: number;
  /** Whether the service tells the time. */
  readonly isServiceTime: boolean;
}

/**
 * Returns whether a row was created in a period: `certain` by its time, `possible` if its time may be of another clock or time
 * zone. A row without a time counts as certain.
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
 * Returns how likely it is that a row is the object of a create in a period.
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
 * Returns the period since a call began.
 * @param began by this machine's clock, in milliseconds since 1970
 * @param lasting milliseconds in which it may take effect; without end if undefined
 */
export function periodSince(api: Pick<Api, 'clockAhead'>, began: number, lasting?: number): Period {
  const ahead = api.clockAhead();
  const from = began + (ahead ?? 0);
  return { from, isServiceTime: ahead !== undefined, ...(lasting !== undefined && { to: from + lasting }) };
}

/**
 * Returns true if a value that a service shows does not contradict the value that it was sent. A member that it doesn't show
 * contradicts nothing; ids may come back in another case, numbers as texts, and texts tidied.
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
