import { duration, type Parse, ValueError } from '../../lib/parse.ts';
import { parseLocalDay, parseLocalTime, parseTime } from '../../lib/time.ts';
import { option } from '../options.ts';

/** The start of a list: a number of milliseconds ago, or a time in ISO 8601. */
export interface Since {
  readonly ago?: number;
  readonly since?: string;
}

const timeOrAgo: Parse<Since> = (raw) => {
  const text = raw.trim();
  const since = parseTime(text) ?? parseLocalTime(text) ?? parseLocalDay(text, Date.now());
  if (since !== undefined && since < Date.UTC(10_000, 0, 1)) return { since: new Date(since).toISOString() };
  try {
    // The largest number that the control channel of a sandbox accepts, which is longer ago than any row.
    return { ago: Math.min(duration(raw), Number.MAX_SAFE_INTEGER) };
  } catch {
    const forms =
      'a duration such as 5m, a day such as today, yesterday or 2027-01-31, or a time such as "2027-01-31 18:00" or 2027-01-31T18:00:00Z';
    throw new ValueError(`must be ${forms}, not "${raw}"`);
  }
};

/** Returns the option for the start time of a list. */
export function sinceOption(summary: string) {
  return option('--since <time>', summary, timeOrAgo);
}

/** Returns the start of a list in milliseconds since 1970. @param now the time by the clock of the rows */
export function startOf({ ago, since }: Since, now: number): number {
  return since === undefined ? now - (ago ?? 0) : Date.parse(since);
}
