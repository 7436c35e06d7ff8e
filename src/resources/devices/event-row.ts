import type { JsonObject } from '../../lib/json-object.ts';
import type { Device } from './device.ts';
import type { EventWord } from './device-words.ts';

/**
 * Returns the row of an event.
 * @param device undefined for an event of several devices together
 * @param at milliseconds since 1970
 * @param detail the members of this kind of event
 */
export function eventRow(
  event: EventWord,
  device: Pick<Device, 'id' | 'name'> | undefined,
  at: number,
  detail: JsonObject = {},
): JsonObject {
  return { event, ...(device && deviceMembers(device)), ...detail, at: new Date(at).toISOString() };
}

/** Returns the members that identify a device in a row. */
export function deviceMembers({ id, name }: Pick<Device, 'id' | 'name'>): JsonObject {
  return { device_id: id, ...(name !== undefined && { name }) };
}

/** Returns milliseconds as seconds with one decimal. */
export function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
