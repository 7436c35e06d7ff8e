import { appendFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory, privateFile } from '../files/private-file.ts';
import { isObject } from '../json-object.ts';
import { originOf } from './base-url.ts';
import { errorCode, readIfThere, withLock } from './files.ts';

/** What botctl remembers of a device. Never its token. */
export interface BookedDevice {
  readonly id: string;
  readonly name?: string | undefined;
  readonly teamId?: string | undefined;
  readonly botId?: string | undefined;
  /** ISO 8601; when it was first seen here. */
  readonly seenAt: string;
}

/** The only inventory of devices: the API can't list them. Keyed by the origin of the base address. */
export interface DeviceBook {
  /** The devices of a service, in the order in which they were first seen. */
  list(baseUrl: string): readonly BookedDevice[];
  /** Adds, or completes what is known of the same id. Gives false where it could not be written. */
  record(baseUrl: string, device: BookedDevice): Promise<boolean>;
}

/** Milliseconds to wait for another process; a line that is appended without its turn is whole all the same. */
const lockTimeout = 5_000;

/** The device book in `devices.ndjson` of a directory: one line for each thing learnt, only ever appended to. */
export function createDeviceBook(directory: string): DeviceBook {
  const file = join(directory, 'devices.ndjson');
  return {
    list(baseUrl) {
      try {
        return [...read(file, originOf(baseUrl)).values()];
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return [];
      }
    },
    async record(baseUrl, device) {
      try {
        makePrivateDirectory(directory);
        await withLock(`${file}.lock`, { timeout: lockTimeout }, () =>
          append(file, originOf(baseUrl), device),
        );
        return true;
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return false;
      }
    },
  };
}

function append(file: string, origin: string, device: BookedDevice): void {
  const known = read(file, origin).get(device.id);
  if (known && isSame(known, complete(known, device))) return;
  const line = JSON.stringify({
    origin,
    id: device.id,
    name: device.name,
    team_id: device.teamId,
    bot_id: device.botId,
    seen_at: device.seenAt,
  });
  // A line that a crash cut off must not swallow this one.
  const text = readIfThere(file) ?? '';
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${start}${line}\n`, { mode: privateFile });
  chmodSync(file, privateFile);
}

function read(file: string, origin: string): ReadonlyMap<string, BookedDevice> {
  const devices = new Map<string, BookedDevice>();
  for (const line of (readIfThere(file) ?? '').split('\n')) {
    const device = parseLine(line, origin);
    if (device) devices.set(device.id, complete(devices.get(device.id), device));
  }
  return devices;
}

/** Newer words about a device stand; what they leave out stays as it was. */
function complete(known: BookedDevice | undefined, device: BookedDevice): BookedDevice {
  if (!known) return device;
  return {
    id: known.id,
    name: device.name ?? known.name,
    teamId: device.teamId ?? known.teamId,
    botId: device.botId ?? known.botId,
    seenAt: known.seenAt,
  };
}

function isSame(one: BookedDevice, other: BookedDevice): boolean {
  return (
    one.name === other.name &&
    one.teamId === other.teamId &&
    one.botId === other.botId &&
    one.seenAt === other.seenAt
  );
}

/** Undefined for a line of another service, and for one that isn't whole. */
function parseLine(line: string, origin: string): BookedDevice | undefined {
  const value = parseJson(line);
  if (!isObject(value) || value.origin !== origin) return undefined;
  const { id, seen_at: seenAt } = value;
  if (typeof id !== 'string' || id === '' || typeof seenAt !== 'string') return undefined;
  return { id, name: textOf(value.name), teamId: textOf(value.team_id), botId: textOf(value.bot_id), seenAt };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
