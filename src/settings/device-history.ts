import { statSync } from 'node:fs';
import { join } from 'node:path';
import { changeLog, logLines } from '../lib/files/append-log.ts';
import { isObject, type JsonObject, parseJson, textOf } from '../lib/json-object.ts';
import { originOf } from './base-url.ts';
import { readIfThere, unlessFailing } from './small-files.ts';

/** Something that was seen of a device. */
export interface DeviceEvent {
  /** ISO 8601; when it was seen here. */
  readonly at: string;
  /** `paired`, `connected`, `lost`, `started`, `stopped`, `never_connected`, `scan_failed`, `not_found` or `refused`. */
  readonly event: string;
  /** Why it was lost or stopped, or sending refused, in the service's words. */
  readonly reason?: string | undefined;
  /** ISO 8601; when the service says that it was disconnected last. */
  readonly lostAt?: string | undefined;
  readonly phoneNumber?: string | undefined;
}

/** What was seen of the devices of a service on this machine. Keyed by the origin of the base address. */
export type DeviceHistory = ReturnType<typeof createDeviceHistory>;

/** Events of a device that are kept. */
const maxEvents = 200;

/**
 * Opens the history of devices: a log in `device-history.ndjson` of a directory, with a line for each event, the oldest first. An
 * event that can't be written is dropped: nothing depends on it.
 * @param signal ends the wait for another process that writes it
 */
export function createDeviceHistory(directory: string, signal?: () => AbortSignal | undefined) {
  const file = join(directory, 'device-history.ndjson');
  // A watch notes each reading of each device, and most change nothing: the file is read again once it has changed.
  let read = { version: '', events: new Map<string, readonly DeviceEvent[]>() };
  const eventsOf = (origin: string, id: string): readonly DeviceEvent[] => {
    const stats = unlessFailing(() => statSync(file));
    const version = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
    if (read.version !== version) read = { version, events: new Map() };
    const key = `${origin} ${id}`;
    const events = read.events.get(key) ?? eventsIn(unlessFailing(() => readIfThere(file)) ?? '', origin, id);
    read.events.set(key, events);
    return events;
  };
  return {
    /** What was seen of a device, the oldest first. */
    list: (baseUrl: string, id: string): readonly DeviceEvent[] =>
      eventsOf(originOf(baseUrl), id).slice(-maxEvents),
    /**
     * Notes what was seen of a device, if there is something to note.
     * @param eventAfter returns it, or undefined if the events so far say as much
     */
    async note(
      baseUrl: string,
      id: string,
      eventAfter: (sofar: readonly DeviceEvent[]) => DeviceEvent | undefined,
    ): Promise<void> {
      const origin = originOf(baseUrl);
      // Most readings are no news, and then nothing is locked.
      if (!eventAfter(eventsOf(origin, id))) return;
      await changeLog(file, signal?.(), {
        records(text) {
          const event = eventAfter(eventsIn(text, origin, id));
          return event ? [lineOf(origin, id, event)] : [];
        },
        compacted(text) {
          const count = eventsIn(text, origin, id).length;
          return count > 2 * maxEvents ? without(text, origin, id, count - maxEvents) : undefined;
        },
      });
    },
    /** Takes out all that was seen of a device. Returns false where that could not be written. */
    async forget(baseUrl: string, id: string): Promise<boolean> {
      const origin = originOf(baseUrl);
      if (eventsOf(origin, id).length === 0) return true;
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
    if (!isOf(line, origin, id)) return [];
    const [at, event, reason, lostAt, phoneNumber] = [
      ...[line.at, line.event, line.reason, line.lost_at, line.phone_number],
    ].map(textOf);
    return at === undefined || event === undefined ? [] : [{ at, event, reason, lostAt, phoneNumber }];
  });
}

function lineOf(origin: string, id: string, event: DeviceEvent): JsonObject {
  const { at, reason, lostAt, phoneNumber } = event;
  return { origin, id, at, event: event.event, reason, lost_at: lostAt, phone_number: phoneNumber };
}
