import { isoTime, relativeTime } from '../lib/time.ts';
import { wallClock } from './zones.ts';

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
