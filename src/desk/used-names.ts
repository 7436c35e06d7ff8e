import { join } from 'node:path';
import { changeLog, logLines, logText } from '../lib/files/append-log.ts';
import { asText, isObject, type JsonObject } from '../lib/json-object.ts';
import { originOf } from '../settings/base-url.ts';
import { ignoreErrors, readIfExists } from '../settings/small-files.ts';

/** The device that a name referred to. */
export interface NameUse {
  readonly id: string;
  /** ISO 8601; when a command on this machine first resolved the name to this device. */
  readonly usedAt: string;
}

/**
 * The devices that names referred to when this machine last used them. If others change the device book, a name may
 * refer to another device, and botctl asks the user. A file that can't be read counts as empty, and write errors are
 * ignored.
 */
export interface UsedNames {
  /** Returns the last use of a name. */
  find(name: string): NameUse | undefined;
  /** Stores that a name was resolved to a device. @param at ISO 8601; now */
  set(name: string, id: string, at: string): Promise<void>;
  /** Removes the names that refer to a device. */
  drop(id: string): Promise<void>;
}

/** A file with at most this many lines is not compacted. */
const fewLines = 200;
/** The maximum number of stored names. */
const maxNames = 5000;

/**
 * Opens the names of a service in `used-names.ndjson` in a directory.
 * @param signal aborts the wait for another process that writes it
 */
export function usedNames(directory: string, baseUrl: string, signal?: AbortSignal): UsedNames {
  const file = join(directory, 'used-names.ndjson');
  const origin = originOf(baseUrl);
  const names = (): ReadonlyMap<string, JsonObject> => namesIn(ignoreErrors(() => readIfExists(file)) ?? '');
  const find = (name: string): NameUse | undefined => {
    const line = names().get(keyOf(origin, name));
    const [id, usedAt] = [asText(line?.id), asText(line?.used_at)];
    return id === undefined || usedAt === undefined ? undefined : { id, usedAt };
  };
  const add = async (record: JsonObject): Promise<void> => {
    // If another process holds the lock for too long, or took it over, only this entry is lost.
    await changeLog(file, signal, { records: () => [record], compact }).catch(() => false);
  };
  return {
    find,
    async set(name, id, at) {
      if (find(name)?.id !== id) await add({ origin, name, id, used_at: at });
    },
    async drop(id) {
      const isKnown = [...names().values()].some((line) => line.origin === origin && line.id === id);
      if (isKnown) await add({ origin, id, dropped: true });
    },
  };
}

/** Returns the last line of each name, least recently used first. */
function namesIn(text: string): ReadonlyMap<string, JsonObject> {
  const names = new Map<string, JsonObject>();
  for (const { value: line } of logLines(text)) {
    if (!isObject(line)) continue;
    const [origin, name, id] = [line.origin, line.name, line.id].map(asText);
    if (origin === undefined || id === undefined) continue;
    if (line.dropped === true) {
      for (const [key, one] of names) if (one.origin === origin && one.id === id) names.delete(key);
    } else if (name !== undefined) {
      names.delete(keyOf(origin, name));
      names.set(keyOf(origin, name), line);
    }
  }
  return names;
}

function keyOf(origin: string, name: string): string {
  return JSON.stringify([origin, name]);
}

/** Returns the current lines if most lines are outdated; otherwise undefined. */
function compact(text: string): string | undefined {
  const lines = text.split('\n').length;
  const names = [...namesIn(text).values()].slice(-maxNames);
  return lines > fewLines && lines > 2 * names.length ? logText(names) : undefined;
}
