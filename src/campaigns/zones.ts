import { isoTime, relativeTime } from '../lib/time.ts';

/** Milliseconds of a quarter of an hour: every zone begins its days, and changes its offset, at the end of one in UTC. */
export const quarterMs = 15 * 60_000;

/** Milliseconds of a day of 24 hours. */
export const dayMs = 24 * 60 * 60_000;

/** Returns what clocks on the wall show at an instant, as milliseconds: those of that date and time in UTC. */
export type WallClock = (instant: number) => number;

const clocks = new Map<string, WallClock>();

/**
 * Returns the wall clock of a zone.
 * @param zone its IANA name
 * @throws RangeError for a zone that this Node.js doesn't know
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

/** Returns a reader of whole seconds. Intl alone knows the zones. */
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
 * Returns the zone of this machine, or undefined where it names none: Node 20 gives none for `TZ=:/etc/localtime`, and
 * `Etc/Unknown` or an offset for others.
 */
export function machineZone(): string | undefined {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return canonicalZone(zone ?? '');
}

/** Returns the name of a zone as it is usually written, or undefined if there is none of that name. */
export function canonicalZone(typed: string): string | undefined {
  // Some versions of Node.js take offsets too: those have no summer time.
  if (!/^[a-z]/i.test(typed)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: typed }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Returns an instant as a person reads it: in UTC as all times are printed, from now on, and by the clock of the zone whose
 * windows or days it belongs to: `2026-01-02T12:00:00Z (in 13 hours; 2026-01-02 09:00 in America/Sao_Paulo)`.
 * @param until in milliseconds since 1970
 * @param now in milliseconds since 1970
 * @param zone its IANA name, or undefined where none belongs to it
 */
export function untilWords(until: number, now: number, zone?: string): string {
  const there = zone === undefined || zone === 'UTC' ? undefined : wallClock(zone)(until);
  const local = there === undefined ? '' : `; ${isoTime(there).slice(0, 16).replace('T', ' ')} in ${zone}`;
  return `${isoTime(until)} (${relativeTime(until, now)}${local})`;
}
