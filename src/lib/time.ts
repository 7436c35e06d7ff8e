// Formatted without Intl, which costs a command 10 ms.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The units, with the count up to which each is used. Ninety days is a usual lifetime of a key. */
const units: readonly (readonly [limit: number, length: number, name: string])[] = [
  [60, second, 'second'],
  [60, minute, 'minute'],
  [24, hour, 'hour'],
  [100, day, 'day'],
  [24, 30.44 * day, 'month'],
  [Number.POSITIVE_INFINITY, 365.25 * day, 'year'],
];

/**
 * Returns the time from now to a moment: `3 minutes ago`, `in 89 days`, `just now`. Both in milliseconds since 1970.
 */
export function relativeTime(moment: number, now: number): string {
  const distance = Math.abs(now - moment);
  if (distance < second) return 'just now';
  for (const [limit, length, name] of units) {
    // Rounds up slightly, so that a period of 90 days is shown as 90 days shortly after its start.
    const reached = moment > now ? distance + length / 100 : distance;
    const count = Math.floor(reached / length);
    if (count >= limit) continue;
    const text = `${count} ${name}${count === 1 ? '' : 's'}`;
    return moment > now ? `in ${text}` : `${text} ago`;
  }
  return 'just now';
}

/** Formats seconds in the largest fitting unit: `45 seconds`, `3 minutes`, `2 hours`. */
export function durationInWords(seconds: number): string {
  const text = relativeTime(0, Math.abs(seconds) * second);
  return text === 'just now' ? '0 seconds' : text.replace(/ ago$/, '');
}

/** Formats milliseconds in minutes and seconds: `48 s`, `2 min 40 s`. */
export function shortDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest > 0 ? ` ${rest} s` : ''}`;
}

const timestamp = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Parses an ISO 8601 date-time with a time zone to milliseconds since 1970; returns undefined for any other value. */
export function parseTime(value: unknown): number | undefined {
  if (typeof value !== 'string' || !timestamp.test(value)) return undefined;
  const milliseconds = Date.parse(value);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

const localTimestamp = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/;

/**
 * Parses a date and time in this machine's time zone to milliseconds since 1970; returns undefined for any other text.
 */
export function parseLocalTime(text: string): number | undefined {
  if (!localTimestamp.test(text)) return undefined;
  const milliseconds = Date.parse(text.replace(' ', 'T'));
  // JavaScript takes February 31 as March 3.
  const isValid = !Number.isNaN(milliseconds) && localTime(milliseconds).slice(0, 10) === text.slice(0, 10);
  return isValid ? milliseconds : undefined;
}

/**
 * Returns the first moment of a local day in milliseconds since 1970; undefined for other texts.
 * @param text `today`, `yesterday` or a date
 * @param now milliseconds since 1970
 */
export function parseLocalDay(text: string, now: number): number | undefined {
  const at = new Date(now);
  // If a clock change skips midnight, this is the first moment after it.
  const dayAgo = (days: number): number =>
    new Date(at.getFullYear(), at.getMonth(), at.getDate() - days).getTime();
  if (text === 'today') return dayAgo(0);
  if (text === 'yesterday') return dayAgo(1);
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseLocalTime(`${text} 00:00`) : undefined;
}

/** Formats a moment as date and time in this machine's time zone: `2026-11-21 09:30`. */
export function localTime(milliseconds: number): string {
  const at = new Date(milliseconds);
  const two = (count: number): string => String(count).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Formats a moment as ISO 8601 in UTC, to the second: `2026-11-21T09:30:00Z`. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
