import type * as z from 'zod/mini';
import { type Parse, ValueError } from '../lib/parse.ts';
import type { paceSchema } from './stored-schemas.ts';
import { dayMs } from './zones.ts';

/** When messages may be sent, by the wall clock: some days of the week, from one minute of the day to another. */
export type SendWindow = NonNullable<z.infer<typeof paceSchema>['windows']>[number];

const dayMinutes = 24 * 60;
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const example = 'mon-fri 09:00-18:00';

/** Parses a window: `mon-fri 09:00-18:00`, `sat,sun 10:00-14:00`, or `22:00-02:00` for every day. */
export const sendWindow: Parse<SendWindow> = (typed) => {
  const [, days, from, to] = /^(?:([a-z, -]+?)\s+)?([\d:]+)\s*-\s*([\d:]+)$/i.exec(typed.trim()) ?? [];
  if (from === undefined || to === undefined)
    throw new ValueError(`must be days and times such as "${example}", not "${typed}"`);
  const window = {
    days: days === undefined ? dayNames.map((_, day) => day) : daysIn(days),
    from: minuteIn(from),
    to: minuteIn(to),
  };
  if (window.from === window.to || window.from === dayMinutes)
    throw new ValueError(`must include some time of its first day, not "${typed}"`);
  return window;
};

function daysIn(typed: string): readonly number[] {
  const days = typed.split(',').flatMap((range) => {
    const [first = '', last = first, ...more] = range.trim().split(/\s*-\s*/);
    const [from, to] = [dayIn(first), dayIn(last)];
    if (more.length > 0) throw new ValueError(`must have days such as mon-fri, not "${range.trim()}"`);
    const count = ((to - from + 7) % 7) + 1;
    return Array.from({ length: count }, (_, at) => (from + at) % 7);
  });
  return [...new Set(days)].sort((one, other) => one - other);
}

function dayIn(typed: string): number {
  const day = dayNames.indexOf(typed.toLowerCase());
  if (day < 0) throw new ValueError(`must have days such as mon-fri, not "${typed}"`);
  return day;
}

function minuteIn(typed: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(typed) ?? [];
  const minute = Number(hours) * 60 + Number(minutes);
  if (Number.isNaN(minute) || Number(minutes) > 59 || minute > dayMinutes)
    throw new ValueError(`must have times from 00:00 to 24:00 such as 09:00, not "${typed}"`);
  return minute;
}

/** Returns a window in the syntax of `sendWindow`. */
export function windowWords({ days, from, to }: SendWindow): string {
  return `${days.length === 7 ? '' : `${dayWords(days)} `}${clockWords(from)}-${clockWords(to)}`;
}

/** Returns days in the syntax of `sendWindow`, Monday first, with consecutive days as ranges: `mon-fri`, `mon,wed`. */
function dayWords(days: readonly number[]): string {
  const week = [1, 2, 3, 4, 5, 6, 0];
  const ranges: number[][] = [];
  for (const [at, day] of week.entries()) {
    if (!days.includes(day)) continue;
    const last = ranges.at(-1);
    if (last && last.at(-1) === week[at - 1]) last.push(day);
    else ranges.push([day]);
  }
  const nameOf = (day: number | undefined): string => dayNames[day ?? 0] ?? '';
  return ranges
    .map((range) => {
      const ends = [nameOf(range[0]), nameOf(range.at(-1))];
      return range.length > 2 ? ends.join('-') : range.map(nameOf).join(',');
    })
    .join(',');
}

function clockWords(minute: number): string {
  const two = (count: number): string => String(count).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** Returns whether a wall clock time in milliseconds is within one of the windows. */
export function isWithin(windows: readonly SendWindow[], wall: number): boolean {
  const minute = Math.floor(wall / 60_000) % dayMinutes;
  const day = weekdayOf(wall);
  const before = (day + 6) % 7;
  return windows.some(({ days, from, to }) => {
    const isToday = days.includes(day) && minute >= from && (minute < to || to <= from);
    return isToday || (to <= from && days.includes(before) && minute < to);
  });
}

/** Returns the minutes of the day at which one of the windows starts or ends. */
export function edgesOf(windows: readonly SendWindow[]): readonly number[] {
  return windows.flatMap(({ from, to }) => [from, to % dayMinutes]);
}

/**
 * Returns for each day of the week, Sunday first, how many of its minutes are within a window. Without windows every
 * minute counts.
 */
export function openMinutes(windows: readonly SendWindow[] | undefined): readonly number[] {
  const open = dayNames.map(() => (windows ? 0 : dayMinutes));
  if (!windows) return open;
  for (let minute = 0; minute < 7 * dayMinutes; minute += 1) {
    const wall = minute * 60_000;
    if (isWithin(windows, wall)) open[weekdayOf(wall)] = (open[weekdayOf(wall)] ?? 0) + 1;
  }
  return open;
}

function weekdayOf(wall: number): number {
  // 1970 began on a Thursday.
  return (Math.floor(wall / dayMs) + 4) % 7;
}
