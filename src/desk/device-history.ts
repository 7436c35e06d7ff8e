import { statSync } from 'node:fs';
import { join } from 'node:path';
import { changeLog, logLines } from '../lib/files/append-log.ts';
import { isObject, type JsonObject, parseJson, textOf } from '../lib/json-object.ts';
import { originOf } from '../settings/base-url.ts';
import { readIfThere, unlessFailing } from '../settings/small-files.ts';

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

/** The history of the devices of one service. */
export interface DeviceHistory {
  /** Its place as a part of a sentence: "in ~/.local/share/botctl". */
  readonly place: string;
  /** Returns the last events of a device, the oldest first. */
  list(id: string): Promise<readonly DeviceEvent[]>;
  /**
   * Records an event of a device. One that can't be written is dropped: nothing depends on it.
   * @param eventAfter returns it, or undefined if the events so far say as much
   */
  note(id: string, eventAfter: (sofar: readonly DeviceEvent[]) => DeviceEvent | undefined): Promise<void>;
  /** Removes the history of a device. Returns false if that could not be written. */
  forget(id: string): Promise<boolean>;
}

/** Events of a device that are kept. */
const maxEvents = 200;

/**
 * Opens the history of the devices of a service in `device-history.ndjson` of a directory, with a line for each event, the oldest
 * first; the last 200 of each device are kept.
 * @param signal ends the wait for another process that writes it
 */
export function fileHistory(
  directory: string,
  baseUrl: string,
  signal?: () => AbortSignal | undefined,
): DeviceHistory {
  const origin = originOf(baseUrl);
  const file = join(directory, 'device-history.ndjson');
  // A watch notes each reading of each device, and most change nothing: the file is read again once it has changed.
  let read = { version: '', events: new Map<string, readonly DeviceEvent[]>() };
  const eventsOf = (id: string): readonly DeviceEvent[] => {
    const stats = unlessFailing(() => statSync(file));
    const version = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
    if (read.version !== version) read = { version, events: new Map() };
    const events = read.events.get(id) ?? eventsIn(unlessFailing(() => readIfThere(file)) ?? '', origin, id);
    read.events.set(id, events);
    return events;
  };
  return {
    place: `in ${directory}`,
    list: async (id) => eventsOf(id).slice(-maxEvents),
    async note(id, eventAfter) {
      // Most readings are no news, and then nothing is locked.
      if (!eventAfter(eventsOf(id))) return;
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
