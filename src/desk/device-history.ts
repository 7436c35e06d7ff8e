import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { changeLog, logLines } from '../lib/files/append-log.ts';
import { isObject, type JsonObject, parseJson, textOf } from '../lib/json-object.ts';
import { originOf } from '../settings/base-url.ts';
import { readIfThere, unlessFailing } from '../settings/small-files.ts';
import type { Actor } from './actor.ts';

/** An event of a device: a change of its state that was seen, or a command that a person ran. */
export interface DeviceEvent extends NewEvent {
  /** A UUID; earlier versions wrote none. */
  readonly id?: string | undefined;
  /** The operator whose process recorded it, by the name of the profile or as `user@host`. No proof of identity. */
  readonly by?: string | undefined;
  /** The host of that process. */
  readonly from?: string | undefined;
  /** The user of the database that recorded it, if it was one. */
  readonly dbUser?: string | undefined;
}

/** An event before it is recorded. */
export interface NewEvent {
  /** ISO 8601; when it was seen. */
  readonly at: string;
  /**
   * A state or a sight: `paired`, `connected`, `lost`, `started`, `stopped`, `never_connected`, `scan_failed`, `not_found`,
   * `refused`. A command: `connect`, `disconnect`, `repair`.
   */
  readonly event: string;
  /** Why it was lost or stopped, or sending refused, in the service's words. */
  readonly reason?: string | undefined;
  /** ISO 8601; when the service says that it was disconnected last. */
  readonly lostAt?: string | undefined;
  readonly phoneNumber?: string | undefined;
}

/** An event in a list of several devices. */
export interface EventOfDevice extends DeviceEvent {
  readonly deviceId: string;
}

/** A choice of events. */
export interface HistoryQuery {
  /** The devices; all of the service if undefined. */
  readonly ids?: readonly string[] | undefined;
  /** Milliseconds since 1970, by the clock of the history: earlier events are left out. */
  readonly since?: number | undefined;
}

/** The history of the devices of one service. */
export interface DeviceHistory {
  /** Its place as a part of a sentence: "in ~/.local/share/botctl". */
  readonly place: string;
  /** Returns the person and the machine that this process records events for. */
  actor(): Actor;
  /** Returns the time by the clock that its events have their times from, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Returns the last events of a device, the oldest first. */
  list(id: string): Promise<readonly DeviceEvent[]>;
  /** Yields the events that are chosen, the newest first, so many at a time. */
  recent(query: HistoryQuery): AsyncIterable<readonly EventOfDevice[]>;
  /**
   * Records an event of a device. One that can't be written is dropped: nothing depends on it.
   * @param eventAfter returns it, or undefined if the events so far say as much
   */
  note(id: string, eventAfter: (sofar: readonly DeviceEvent[]) => NewEvent | undefined): Promise<void>;
  /** Removes the history of a device. Returns false if that could not be written. */
  forget(id: string): Promise<boolean>;
}

/** Dependencies of a history on files. */
export interface FileHistoryOptions {
  /** Ends the wait for another process that writes it. */
  readonly signal?: () => AbortSignal | undefined;
  /** The person and the machine that record events. */
  readonly actor?: () => Actor;
  readonly now?: () => number;
}

const unknownActor: Actor = { by: 'unknown', host: 'unknown' };

/** Events of a device that are kept. */
const maxEvents = 200;

/**
 * Opens the history of the devices of a service in `device-history.ndjson` of a directory, with a line for each event, the oldest
 * first; the last 200 of each device are kept.
 */
export function fileHistory(
  directory: string,
  baseUrl: string,
  { signal, actor = () => unknownActor, now = Date.now }: FileHistoryOptions = {},
): DeviceHistory {
  const origin = originOf(baseUrl);
  const file = join(directory, 'device-history.ndjson');
  // A watch notes each reading of each device, and most change nothing: the file is read again once it has changed.
  let read = { version: '', events: new Map<string, readonly DeviceEvent[]>() };
  const textOfFile = (): string => unlessFailing(() => readIfThere(file)) ?? '';
  const eventsOf = (id: string): readonly DeviceEvent[] => {
    const stats = unlessFailing(() => statSync(file));
    const version = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
    if (read.version !== version) read = { version, events: new Map() };
    const events = read.events.get(id) ?? eventsIn(textOfFile(), origin, id);
    read.events.set(id, events);
    return events;
  };
  return {
    place: `in ${directory}`,
    actor,
    now: async () => now(),
    list: async (id) => eventsOf(id).slice(-maxEvents),
    async *recent(query) {
      const rows = recentIn(textOfFile(), origin, query);
      if (rows.length > 0) yield rows;
    },
    async note(id, eventAfter) {
      // Most readings are no news, and then nothing is locked.
      if (!eventAfter(eventsOf(id))) return;
      await changeLog(file, signal?.(), {
        records(text) {
          const event = eventAfter(eventsIn(text, origin, id));
          if (!event) return [];
          const { by, host } = actor();
          return [lineOf(origin, id, { ...event, id: randomUUID(), by, from: host })];
        },
        compacted(text) {
          const count = eventsIn(text, origin, id).length;
          return count > 2 * maxEvents ? without(text, origin, id, count - maxEvents) : undefined;
        },
      });
    },
    async forget(id) {
      if (eventsOf(id).length === 0) return true;
      // Not done if another process keeps the lock: its events would be lost.
      let isAlone = false;
      const compacted = (text: string): string => {
        isAlone = true;
        return without(text, origin, id, Number.POSITIVE_INFINITY);
      };
      return (await changeLog(file, signal?.(), { compacted })) && isAlone;
    },
  };
}

/** Returns the text without the oldest lines of a device, so many of them. */
function without(text: string, origin: string, id: string, count: number): string {
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

function eventsIn(text: string, origin: string, id: string): readonly DeviceEvent[] {
  // Most lines are those of other devices, and needn't be parsed.
  return [...logLines(text, (line) => line.includes(id))].flatMap(({ value: line }) => {
    const event = isOf(line, origin, id) ? eventIn(line) : undefined;
    return event ? [event] : [];
  });
}

/** Returns the chosen events of a text, the newest first. */
function recentIn(text: string, origin: string, { ids, since }: HistoryQuery): readonly EventOfDevice[] {
  const chosen = ids && new Set(ids);
  const byDevice = new Map<string, EventOfDevice[]>();
  for (const { value: line } of logLines(text)) {
    if (!isObject(line) || line.origin !== origin) continue;
    const deviceId = textOf(line.id);
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

/** Returns the event of a line. */
function eventIn(line: JsonObject): DeviceEvent | undefined {
  const [at, event] = [line.at, line.event].map(textOf);
  if (at === undefined || event === undefined) return undefined;
  return {
    id: textOf(line.event_id),
    at,
    event,
    by: textOf(line.by),
    from: textOf(line.from),
    dbUser: textOf(line.db_user),
    reason: textOf(line.reason),
    lostAt: textOf(line.lost_at),
    phoneNumber: textOf(line.phone_number),
  };
}

function lineOf(origin: string, id: string, event: DeviceEvent): JsonObject {
  const { at, by, from, dbUser, reason, lostAt, phoneNumber } = event;
  return {
    ...{ origin, id, event_id: event.id, at, event: event.event, by, from, db_user: dbUser },
    ...{ reason, lost_at: lostAt, phone_number: phoneNumber },
  };
}
