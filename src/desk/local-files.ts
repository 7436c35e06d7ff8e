import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { logLines } from '../lib/files/append-log.ts';
import { readFailure } from '../lib/files/file-failure.ts';
import { asText, isObject, type JsonObject } from '../lib/json-object.ts';
import { readIfExists } from '../settings/small-files.ts';
import { foldRecords, openIntents } from './device-book-lines.ts';
import { type EventOfDevice, eventIn } from './device-history-lines.ts';

/** The files of a machine without a desk: the device book and the history. */
export const localNames = { book: 'devices.ndjson', history: 'device-history.ndjson' } as const;

/** The texts of these files. The text of a missing file is empty. */
export type LocalTexts = Readonly<Record<keyof typeof localNames, string>>;

/** An event of a file, with the origin of its service. */
export interface LocalEvent extends EventOfDevice {
  readonly origin: string;
}

/** The entries of these files that a desk can share. */
export interface LocalEntries {
  /** Merged records of known devices. */
  readonly devices: readonly JsonObject[];
  readonly tombstones: readonly JsonObject[];
  /** Records of creates without a response. */
  readonly intents: readonly JsonObject[];
  readonly events: readonly LocalEvent[];
}

/**
 * Reads the files.
 * @throws Failure `invalidInput` if one can't be read
 */
export function readLocalFiles(data: string): LocalTexts {
  const read = (name: string): string => {
    const file = join(data, name);
    try {
      return readIfExists(file) ?? '';
    } catch (error) {
      throw readFailure(file, error);
    }
  };
  return { book: read(localNames.book), history: read(localNames.history) };
}

/**
 * Returns the entries of some services. Omits `not_found` events: they depend on the API key of this machine.
 */
export function localEntries({ book, history }: LocalTexts, origins: ReadonlySet<string>): LocalEntries {
  const isChosen = ({ origin }: { readonly origin?: unknown }): boolean => origins.has(asText(origin) ?? '');
  const { known, forgotten } = foldRecords(book);
  return {
    devices: [...known.values()].filter(isChosen),
    tombstones: [...forgotten.values()].filter(isChosen),
    intents: [...openIntents(book).values()].filter(isChosen),
    events: [...logLines(history)].flatMap(({ value: line }) => {
      if (!isObject(line) || !isChosen(line)) return [];
      const [origin, deviceId] = [line.origin, line.id].map(asText);
      const event = eventIn(line);
      if (origin === undefined || deviceId === undefined || !event || event.event === 'not_found') return [];
      return [{ ...event, origin, deviceId }];
    }),
  };
}

/** Returns the services that have entries in the files. */
export function localOrigins({ book, history }: LocalTexts): readonly string[] {
  const lines = [...logLines(book), ...logLines(history)];
  const origins = lines.flatMap(({ value: line }) => (isObject(line) ? (asText(line.origin) ?? []) : []));
  return [...new Set(origins)].filter((origin) => origin !== '');
}

/** Returns whether there is an entry that a desk can share. */
export function hasEntries({ devices, tombstones, intents, events }: LocalEntries): boolean {
  return devices.length + tombstones.length + intents.length + events.length > 0;
}

/**
 * Returns the lines of services other than the given ones, and the number of lines of the given ones. Lines that can't
 * be read are in neither.
 */
export function splitLines(
  text: string,
  origins: ReadonlySet<string>,
): { readonly others: string; readonly own: number } {
  let others = '';
  let own = 0;
  for (const { value: line } of logLines(text)) {
    const origin = isObject(line) ? asText(line.origin) : undefined;
    if (origin === undefined) continue;
    if (origins.has(origin)) own += 1;
    else others += `${JSON.stringify(line)}\n`;
  }
  return { others, own };
}

/** Returns a name, with a number appended if a file with the name exists. */
export function unusedName(name: string): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    // A broken link uses the name too.
    if (lstatSync(candidate, { throwIfNoEntry: false }) === undefined) return candidate;
  }
}
