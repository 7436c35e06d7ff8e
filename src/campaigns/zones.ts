import { isoTime, relativeTime } from '../lib/time.ts';

/**
 * A quarter of an hour in milliseconds. In every zone, days start and offsets change at a quarter of an hour in UTC.
 */
export const quarterMs = 15 * 60_000;

export const dayMs = 24 * 60 * 60_000;

/** Returns the local date and time at an instant as the milliseconds of the same date and time in UTC. */
export type WallClock = (instant: number) => number;

const clocks = new Map<string, WallClock>();

/**
 * Returns the wall clock of a zone.
 * @param zone its IANA name
 * @throws RangeError if this Node.js does not support the zone
 */
export function wallClock(zone: string): WallClock {
  const made = clocks.get(zone) ?? newWallClock(zone);
  clocks.set(zone, made);
  return made;
}

function newWallClock(zone: string): WallClock {
  const read = clockReader(zone);
  const known = new Map<number, number>();
  const offsetAt = (instant: number): number => {
    const offset = known.get(instant) ?? read(instant) - instant;
    known.set(instant, offset);
    return offset;
  };
  return (instant) => instant + offsetAt(Math.floor(instant / quarterMs) * quarterMs);
}

/** Returns a function that reads the clock of a zone at whole seconds. Only Intl has the data of zones. */
function clockReader(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
  };
}

/**
 * Returns the zone of this machine, or undefined if Node.js does not name one: Node 20 returns none for
 * `TZ=:/etc/localtime`, and `Etc/Unknown` or an offset for others.
 */
export function machineZone(): string | undefined {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return canonicalZone(zone ?? '');
}

/** Returns the canonical name of a zone, or undefined if there is no zone with that name. */
export function canonicalZone(typed: string): string | undefined {
  // Some versions of Node.js also accept offsets, which have no summer time.
  if (!/^[a-z]/i.test(typed)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: typed }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Describes an instant: in UTC, as all times are printed, from now on, and by the clock of the zone of its windows or
 * days: `2026-01-02T12:00:00Z (in 13 hours; 2026-01-02 09:00 in America/Sao_Paulo)`.
 * @param until in milliseconds since 1970
 * @param now in milliseconds since 1970
 * @param zone its IANA name, or undefined if no zone applies
 */
export function untilWords(until: number, now: number, zone?: string): string {
  const there = zone === undefined || zone === 'UTC' ? undefined : wallClock(zone)(until);
  const local = there === undefined ? '' : `; ${isoTime(there).slice(0, 16).replace('T', ' ')} in ${zone}`;
  return `${isoTime(until)} (${relativeTime(until, now)}${local})`;
}
