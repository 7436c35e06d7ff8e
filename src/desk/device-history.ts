import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { changeLog } from '../lib/files/append-log.ts';
import { originOf } from '../settings/base-url.ts';
import { ignoreErrors, readIfExists } from '../settings/small-files.ts';
import type { Actor } from './actor.ts';
import {
  type DeviceEvent,
  type EventOfDevice,
  eventsIn,
  type HistoryQuery,
  lineOf,
  maxEvents,
  type NewEvent,
  recentIn,
  without,
} from './device-history-lines.ts';
import { localNames } from './local-files.ts';

export {
  commandIn,
  type DeviceCommand,
  type DeviceEvent,
  type EventOfDevice,
  type HistoryQuery,
  type NewEvent,
} from './device-history-lines.ts';

/** The result of removing a device's history. `shared` means that it stays, because other machines need it. */
export type ForgottenHistory = 'removed' | 'shared' | 'unwritable';

/** The history of the devices of one service. */
export interface DeviceHistory {
  /** Returns the person and the machine to which this process attributes events. */
  actor(): Actor;
  /** Returns the time by the clock of its events, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Returns the last events of a device, oldest first. */
  list(id: string): Promise<readonly DeviceEvent[]>;
  /** Reads the last events of many devices at once. Call it before `list` or `note` is called for each of them. */
  preload(ids: readonly string[]): Promise<void>;
  /** Yields pages of the selected events, newest first. */
  recent(query: HistoryQuery): AsyncIterable<readonly EventOfDevice[]>;
  /**
   * Records an event of a device. If it can't be written, it is dropped: nothing depends on it.
   * @param eventAfter returns the event, or undefined if the earlier events already include it
   */
  note(id: string, eventAfter: (sofar: readonly DeviceEvent[]) => NewEvent | undefined): Promise<void>;
  /** Removes the history of a device, unless it is shared with other machines. */
  forget(id: string): Promise<ForgottenHistory>;
}

/** Options of a history in files. */
export interface FileHistoryOptions {
  /** Aborts the wait for another process that writes the file. */
  readonly signal?: AbortSignal;
  /** The person and the machine that record events. */
  readonly actor?: () => Actor;
  readonly now?: () => number;
}

const unknownActor: Actor = { by: 'unknown', host: 'unknown' };

/**
 * Opens the history of the devices of a service in `device-history.ndjson` in a directory. It has a line for each event,
 * oldest first. At least the last 200 events of each device are stored.
 */
export function fileHistory(
  directory: string,
  baseUrl: string,
  { signal, actor = () => unknownActor, now = Date.now }: FileHistoryOptions = {},
): DeviceHistory {
  const origin = originOf(baseUrl);
  const file = join(directory, localNames.history);
  // A watch notes every reading of each device, and most change nothing. The file is read again only after it has
  // changed.
  let read = { version: '', events: new Map<string, readonly DeviceEvent[]>() };
  const textOfFile = (): string => ignoreErrors(() => readIfExists(file)) ?? '';
  const eventsOf = (id: string): readonly DeviceEvent[] => {
    const stats = ignoreErrors(() => statSync(file));
    const version = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
    if (read.version !== version) read = { version, events: new Map() };
    const events = read.events.get(id) ?? eventsIn(textOfFile(), origin, id);
    read.events.set(id, events);
    return events;
  };
  return {
    actor,
    now: async () => now(),
    list: async (id) => eventsOf(id).slice(-maxEvents),
    preload: async () => undefined,
    async *recent(query) {
      const rows = recentIn(textOfFile(), origin, query);
      if (rows.length > 0) yield rows;
    },
    async note(id, eventAfter) {
      // Most readings bring no new event, and then no lock is needed.
      if (!eventAfter(eventsOf(id))) return;
      await changeLog(file, signal, {
        records(text) {
          const event = eventAfter(eventsIn(text, origin, id));
          if (!event) return [];
          const { by, host } = actor();
          return [lineOf(origin, id, { ...event, id: randomUUID(), by, from: host })];
        },
        compact(text) {
          const count = eventsIn(text, origin, id).length;
          return count > 2 * maxEvents ? without(text, origin, id, count - maxEvents) : undefined;
        },
      });
    },
    async forget(id) {
      if (eventsOf(id).length === 0) return 'removed';
      // The file is not compacted if another process holds the lock: its events would be lost.
      let isAlone = false;
      const compact = (text: string): string => {
        isAlone = true;
        return without(text, origin, id, Number.POSITIVE_INFINITY);
      };
      return (await changeLog(file, signal, { compact })) && isAlone ? 'removed' : 'unwritable';
    },
  };
}
