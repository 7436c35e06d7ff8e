import { logLines } from '../lib/files/append-log.ts';
import { asText, isObject, type JsonObject, parseJson } from '../lib/json-object.ts';

/** An event of a device: an observed change of its state, or a command that a user ran. */
export interface DeviceEvent extends NewEvent {
  /** A UUID. Earlier versions did not write one. */
  readonly id?: string | undefined;
  /** The actor who recorded it, and the host: see `Actor`. */
  readonly by?: string | undefined;
  readonly from?: string | undefined;
  /** The database user who recorded it; undefined for an event of a file. */
  readonly dbUser?: string | undefined;
}

/** The events that are commands of a user. They show nothing about the state of a device. */
const deviceCommands = ['connect', 'disconnect', 'repair'] as const;

/** A command of a user. `repair` is a disconnect and a connect that belong together. */
export type DeviceCommand = (typeof deviceCommands)[number];

/** Returns the command of an event, or undefined if the event is not a command. */
export function commandIn({ event }: Pick<NewEvent, 'event'>): DeviceCommand | undefined {
  return deviceCommands.find((command) => command === event);
}

/** An event before it is recorded. */
export interface NewEvent {
  /** ISO 8601; when it was seen. */
  readonly at: string;
  /**
   * A state or observation: `paired`, `connected`, `lost`, `started`, `stopped`, `never_connected`, `scan_failed`,
   * `not_found`, `refused`. A command: `connect`, `disconnect`, `repair`.
   */
  readonly event: string;
  /** Why it was lost or stopped, or why sending was refused, in the service's words. */
  readonly reason?: string | undefined;
  /** ISO 8601; the time of the last disconnect, according to the service. */
  readonly lostAt?: string | undefined;
  readonly phoneNumber?: string | undefined;
}

/** An event in a list of several devices. */
export interface EventOfDevice extends DeviceEvent {
  readonly deviceId: string;
}

/** A selection of events. */
export interface HistoryQuery {
  /** The ids of devices; undefined selects all devices of the service. */
  readonly ids?: readonly string[] | undefined;
  /** Milliseconds since 1970, by the clock of the history. Earlier events are left out. */
  readonly since?: number | undefined;
}

/** The maximum number of stored events per device. */
export const maxEvents = 200;

/** Returns a text without the oldest lines of a device. @param count the number of lines to remove */
export function without(text: string, origin: string, id: string, count: number): string {
  let left = count;
  const kept = text.split('\n').filter((written) => {
    if (written === '') return false;
    if (left === 0 || !isOf(parseJson(written), origin, id)) return true;
    left -= 1;
    return false;
  });
  return kept.map((line) => `${line}\n`).join('');
}

function isOf(line: unknown, origin: string, id: string): line is JsonObject {
  return isObject(line) && line.origin === origin && line.id === id;
}

/** Returns the events of a device, in the order of their lines. */
export function eventsIn(text: string, origin: string, id: string): readonly DeviceEvent[] {
  // Most lines belong to other devices and need not be parsed.
  return [...logLines(text, (line) => line.includes(id))].flatMap(({ value: line }) => {
    const event = isOf(line, origin, id) ? eventIn(line) : undefined;
    return event ? [event] : [];
  });
}

/** Returns the selected events of a text, newest first. */
export function recentIn(
  text: string,
  origin: string,
  { ids, since }: HistoryQuery,
): readonly EventOfDevice[] {
  const chosen = ids && new Set(ids);
  const byDevice = new Map<string, EventOfDevice[]>();
  for (const { value: line } of logLines(text)) {
    if (!isObject(line) || line.origin !== origin) continue;
    const deviceId = asText(line.id);
    if (deviceId === undefined || chosen?.has(deviceId) === false) continue;
    const event = eventIn(line);
    if (!event) continue;
    const events = byDevice.get(deviceId) ?? [];
    events.push({ ...event, deviceId });
    byDevice.set(deviceId, events);
  }
  const isRecent = ({ at }: DeviceEvent): boolean => since === undefined || Date.parse(at) >= since;
  return [...byDevice.values()]
    .flatMap((events) => events.slice(-maxEvents).filter(isRecent).toReversed())
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at) || 0);
}

/** Parses the event of a line; undefined if it is invalid. */
export function eventIn(line: JsonObject): DeviceEvent | undefined {
  const [at, event] = [line.at, line.event].map(asText);
  if (at === undefined || event === undefined) return undefined;
  return {
    id: asText(line.event_id),
    at,
    event,
    by: asText(line.by),
    from: asText(line.from),
    dbUser: asText(line.db_user),
    reason: asText(line.reason),
    lostAt: asText(line.lost_at),
    phoneNumber: asText(line.phone_number),
  };
}

/** Returns the line of an event. */
export function lineOf(origin: string, id: string, event: DeviceEvent): JsonObject {
  const { at, by, from, dbUser, reason, lostAt, phoneNumber } = event;
  return {
    ...{ origin, id, event_id: event.id, at, event: event.event, by, from, db_user: dbUser },
    ...{ reason, lost_at: lostAt, phone_number: phoneNumber },
  };
}

/** Returns the members of an event as they are stored in the table `history` and in the outbox. */
export function membersOf(
  { event, reason, lostAt, phoneNumber }: NewEvent,
  origin: string,
  device: string,
): JsonObject {
  return { origin, device, event, reason, lost_at: lostAt, phone_number: phoneNumber };
}
