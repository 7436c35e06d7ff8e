import { appendFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../lib/files/error-code.ts';
import { makePrivateDirectory, privateFile, replacePrivateFile } from '../lib/files/private-file.ts';
import { isObject, type JsonObject, parseJson, textOf } from '../lib/json-object.ts';
import { originOf } from './base-url.ts';
import { readIfThere, unlessFailing, withLock } from './files.ts';

/** A device as botctl remembers it. Never its token. */
export interface BookedDevice {
  readonly id: string;
  readonly name?: string | undefined;
  readonly teamId?: string | undefined;
  readonly botId?: string | undefined;
  /** Names as they were when the device was noted; the service may call them otherwise by now. */
  readonly teamName?: string | undefined;
  readonly botName?: string | undefined;
  /** ISO 8601; when it was first seen here. */
  readonly seenAt: string;
  /** The last refusal to send through it, unless something has happened since that makes it history. */
  readonly refusal?: Refusal | undefined;
}

/** A refusal of the service to send through a device. */
export interface Refusal {
  /** ISO 8601. */
  readonly at: string;
  /** In the service's words. */
  readonly because: string;
  /** Whether the device was connected then. */
  readonly connected: boolean;
  /** What the device showed then of its phone and of its last disconnect: where that is another one, it is history. */
  readonly connection: string;
}

/** The outcome of forgetting a device. */
export type Forgotten = 'forgotten' | 'unknown' | 'unwritable';

/** The only inventory of devices: the API can't list them. Keyed by the origin of the base address. */
export type DeviceBook = ReturnType<typeof createDeviceBook>;

/** Milliseconds to wait for another process; a line that is appended without its turn is whole all the same. */
const lockTimeoutMs = 5_000;

/** Lines of a book that is left as it is, however little they say. */
const fewLines = 200;

function fileIn(directory: string): string {
  return join(directory, 'devices.ndjson');
}

/** `DeviceBook.list` without the code that writes, for completion. */
export function bookedDevices(directory: string, baseUrl: string): readonly BookedDevice[] {
  try {
    return devicesAt(readIfThere(fileIn(directory)) ?? '', originOf(baseUrl));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/**
 * The device book in `devices.ndjson` of a directory: one line for each thing learnt or forgotten.
 * @param signal ends the waiting for another process that writes it; the line is written all the same
 */
export function createDeviceBook(directory: string, signal?: () => AbortSignal | undefined) {
  const file = fileIn(directory);
  /**
   * Appends the line that is made of what is known of a device, if one is. Returns false if the file system refuses.
   */
  const change = (
    baseUrl: string,
    id: string,
    lineFor: (known: BookedDevice | undefined) => JsonObject | undefined,
  ): Promise<boolean> => {
    const origin = originOf(baseUrl);
    return write((text) => {
      const line = lineFor(devicesAt(text, origin).find((device) => device.id === id));
      return line ? [{ origin, id, ...line }] : [];
    });
  };
  /** Appends the lines that are made of what the file holds. Returns false if the file system refuses. */
  const write = async (linesFor: (text: string) => readonly JsonObject[]): Promise<boolean> => {
    let isAlone = true;
    const onHeld = (): void => {
      isAlone = false;
    };
    try {
      makePrivateDirectory(directory);
      await withLock(`${file}.lock`, { timeout: lockTimeoutMs, signal: signal?.(), onHeld }, () => {
        const text = readIfThere(file) ?? '';
        const lines = linesFor(text);
        if (lines.length > 0) append(file, text, lines, isAlone);
      });
      return true;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return false;
    }
  };
  return {
    /** The devices of a service, in the order in which they were first seen. */
    list: (baseUrl: string) => bookedDevices(directory, baseUrl),
    /** Adds, or completes what is known of the same id. Returns false where it could not be written. */
    record: (baseUrl: string, device: BookedDevice) =>
      change(baseUrl, device.id, (known) =>
        !known || saysMore(device, known) ? membersOf(device) : undefined,
      ),
    /** Notes of a device that is known that sending was refused. Returns false where it could not be written. */
    recordRefusal: (baseUrl: string, id: string, refusal: Refusal) =>
      change(baseUrl, id, (known) => known && { ...membersOf(known), refusal: { ...refusal } }),
    /**
     * Takes away what is noted of refusals, of whatever service the devices are. Returns false where it could not be
     * written.
     */
    async dropRefusals(isMeant: (device: BookedDevice) => boolean): Promise<boolean> {
      const refused = (text: string): readonly JsonObject[] =>
        [...learnt(text).values()].filter((line) => refusalIn(line) !== undefined && isMeant(deviceIn(line)));
      // Most devices have none, and then nothing is locked.
      if (refused(unlessFailing(() => readIfThere(file)) ?? '').length === 0) return true;
      // What is left out of a line stays as it was; null doesn't.
      return write((text) => refused(text).map((line) => ({ ...line, refusal: null })));
    },
    /**
     * Takes a device out, with all that was known of it. It comes back only when it is recorded again.
     * @param at ISO 8601; now
     */
    async forget(baseUrl: string, id: string, at: string): Promise<Forgotten> {
      let outcome: Forgotten = 'unknown';
      const isDone = await change(baseUrl, id, (known) => {
        if (!known) return undefined;
        outcome = 'forgotten';
        return { forgotten_at: at };
      });
      return isDone ? outcome : 'unwritable';
    },
  };
}

function membersOf(device: BookedDevice): JsonObject {
  return {
    name: device.name,
    team_id: device.teamId,
    team_name: device.teamName,
    bot_id: device.botId,
    bot_name: device.botName,
    seen_at: device.seenAt,
  };
}

/**
 * Appends lines to what the file holds, and rewrites the file if most of its lines are outdated.
 * @param isAlone whether no other process can be writing meanwhile
 */
function append(file: string, text: string, lines: readonly JsonObject[], isAlone: boolean): void {
  // A line that a crash cut off must not swallow the next one.
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  const added = start + lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  appendFileSync(file, added, { mode: privateFile });
  chmodSync(file, privateFile);
  if (isAlone) compact(file, `${text}${added}`);
}

function compact(file: string, text: string): void {
  const lines = text.split('\n').length;
  const known = learnt(text);
  if (lines <= fewLines || lines <= 4 * known.size) return;
  try {
    replacePrivateFile(file, [...known.values()].map((line) => `${JSON.stringify(line)}\n`).join(''));
  } catch (error) {
    // The line stands in the file as it was; a shorter one is no more than tidiness.
    if (errorCode(error) === undefined) throw error;
  }
}

/**
 * Returns all lines merged by origin and id: newer words stand, what they leave out stays as it was,
 * and what was forgotten is not there. Lines that aren't whole are passed over; members that another
 * version wrote are kept.
 */
function learnt(text: string): ReadonlyMap<string, JsonObject> {
  const known = new Map<string, JsonObject>();
  for (const written of text.split('\n')) {
    const line = parseJson(written);
    if (!isObject(line) || !textOf(line.origin) || !textOf(line.id)) continue;
    const key = JSON.stringify([line.origin, line.id]);
    if (textOf(line.forgotten_at) !== undefined) known.delete(key);
    if (textOf(line.seen_at) === undefined) continue;
    const earlier = known.get(key);
    known.set(key, { ...stillTrue(earlier, line), ...line, seen_at: earlier?.seen_at ?? line.seen_at });
  }
  return known;
}

/** Returns what a later line leaves of an earlier one: the name of a team or bot goes with its id. */
function stillTrue(earlier: JsonObject = {}, later: JsonObject): JsonObject {
  const isOther = (member: string): boolean =>
    later[member] !== undefined && later[member] !== earlier[member];
  return {
    ...earlier,
    ...(isOther('team_id') && { team_name: undefined }),
    ...(isOther('bot_id') && { bot_name: undefined }),
  };
}

function devicesAt(text: string, origin: string): readonly BookedDevice[] {
  return [...learnt(text).values()].filter((line) => line.origin === origin).map(deviceIn);
}

function deviceIn(line: JsonObject): BookedDevice {
  return {
    id: textOf(line.id) ?? '',
    name: textOf(line.name),
    teamId: textOf(line.team_id),
    teamName: textOf(line.team_name),
    botId: textOf(line.bot_id),
    botName: textOf(line.bot_name),
    seenAt: textOf(line.seen_at) ?? '',
    refusal: refusalIn(line),
  };
}

function refusalIn({ refusal }: JsonObject): Refusal | undefined {
  if (!isObject(refusal)) return undefined;
  const [at, because, connection] = [refusal.at, refusal.because, refusal.connection].map(textOf);
  if (at === undefined || because === undefined || connection === undefined) return undefined;
  return { at, because, connection, connected: refusal.connected === true };
}

/** True if there is something new in what was seen of a device. */
function saysMore(seen: BookedDevice, known: BookedDevice): boolean {
  return (['name', 'teamId', 'teamName', 'botId', 'botName'] as const).some(
    (member) => seen[member] !== undefined && seen[member] !== known[member],
  );
}
