import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { logText } from '../lib/files/append-log.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { fileHash, ignoreErrors, readIfExists } from '../settings/small-files.ts';
import {
  type DeviceEvent,
  type EventOfDevice,
  eventsIn,
  type HistoryQuery,
  lineOf,
  maxEvents,
  recentIn,
} from './device-history-lines.ts';

/** A cache that can be rebuilt, so write errors are ignored. */
const isCache = { sync: false };

/**
 * This machine's copy of the history of a desk: a file for each device in the directory `history`, with the last events
 * that this machine saw. The modification time of a file is the time when the database was last read.
 */
export class HistoryCopy {
  readonly #directory: string;
  readonly #origin: string;

  constructor(directory: string, origin: string) {
    this.#directory = join(directory, 'history');
    this.#origin = origin;
  }

  /** Returns the last events of a device, oldest first. */
  events(id: string): readonly DeviceEvent[] {
    return sorted(eventsIn(this.#textOf(this.#file(id)), this.#origin, id)).slice(-maxEvents);
  }

  /** Returns the selected events, newest first. */
  recent(query: HistoryQuery): readonly EventOfDevice[] {
    return recentIn(
      this.#files(query)
        .map((file) => this.#textOf(file))
        .join(''),
      this.#origin,
      query,
    );
  }

  /**
   * Returns when the least recently updated copy of the selected devices was read from the database; undefined if there
   * is none.
   */
  readAt(query: HistoryQuery): number | undefined {
    const times = this.#files(query).flatMap((file) => ignoreErrors(() => statSync(file).mtimeMs) ?? []);
    return times.reduce<number | undefined>((oldest, time) => Math.min(oldest ?? time, time), undefined);
  }

  /**
   * Replaces the events of a device with those that were just read from the database.
   * @param events the last events, oldest first
   */
  store(id: string, events: readonly DeviceEvent[], now: number): void {
    const file = this.#file(id);
    const text = logText(events.map((event) => lineOf(this.#origin, id, event)));
    ignoreErrors(() => {
      if (this.#textOf(file) !== text) this.#write(file, text);
      utimesSync(file, new Date(now), new Date(now));
    });
  }

  /** Adds an event that the database does not have yet. */
  add(id: string, event: DeviceEvent): void {
    const file = this.#file(id);
    const time = ignoreErrors(() => statSync(file).mtime) ?? new Date(0);
    const text = this.#textOf(file) + logText([lineOf(this.#origin, id, event)]);
    ignoreErrors(() => {
      this.#write(file, text);
      utimesSync(file, time, time);
    });
  }

  #write(file: string, text: string): void {
    makePrivateDirectory(this.#directory);
    writeFileAtomically(file, text, isCache);
  }

  #files({ ids }: HistoryQuery): readonly string[] {
    if (ids) return ids.map((id) => this.#file(id));
    const names = ignoreErrors(() => readdirSync(this.#directory)) ?? [];
    return names.filter((name) => name.endsWith('.ndjson')).map((name) => join(this.#directory, name));
  }

  /** An id is untrusted data, so it must not be part of a path. */
  #file(id: string): string {
    return join(this.#directory, `${fileHash(`${this.#origin}\n${id}`)}.ndjson`);
  }

  #textOf(file: string): string {
    return ignoreErrors(() => readIfExists(file)) ?? '';
  }
}

function sorted(events: readonly DeviceEvent[]): readonly DeviceEvent[] {
  return events.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at) || 0);
}
