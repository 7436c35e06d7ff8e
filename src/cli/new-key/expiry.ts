import { Failure } from '../../lib/errors.ts';
import { duration, type Parse, ValueError } from '../../lib/parse.ts';

/** The expiry of a key as typed: a time in milliseconds since 1970, or milliseconds after its creation. */
export type Expiry = { readonly at: number } | { readonly after: number };

/**
 * Parses an expiry: a date (`2027-01-31`, the start of that day in UTC), a date-time with its zone, or a duration with
 * its unit (`90d`).
 */
export const expiry: Parse<Expiry> = (raw) => {
  const written = raw.trim();
  if (/^\d+(\.\d+)?(s|m|h|d)$/.test(written)) return { after: duration(written) };
  const at = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i.exec(written);
  const time = at ? Date.parse(written) : Number.NaN;
  if (!at || Number.isNaN(time) || !isDay(Number(at[1]), Number(at[2]), Number(at[3]))) {
    throw new ValueError(
      `must be a date such as 2027-01-31, a time such as 2027-01-31T18:00:00Z or a duration such as 90d, not "${raw}"`,
    );
  }
  return { at: time };
};

/** True if the day exists: `Date.parse` reads February 30 as March 2. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** The start of the last day that ISO 8601 writes with a year of four digits. */
const lastMoment = Date.UTC(9999, 11, 31);

/**
 * Returns the expiry of a new key as a time in ISO 8601, for the API.
 * @throws Failure `invalidInput` if it is not in the future, or is after the start of 9999-12-31 in UTC
 */
export function expiryTime(given: Expiry, now: number): string {
  const at = 'at' in given ? given.at : now + given.after;
  if (at > now && at <= lastMoment) return new Date(at).toISOString();
  const problem = at <= now ? '--expires must be in the future.' : '--expires is too far in the future.';
  throw new Failure('invalidInput', problem, { hint: 'Nothing was created.' });
}
