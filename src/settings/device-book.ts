import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { changeLog, logText } from '../lib/files/append-log.ts';
import { unreadable } from '../lib/files/file-failure.ts';
import { isSameId } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { originOf } from './base-url.ts';
import {
  type BookedDevice,
  type DeviceIntent,
  damagedLines,
  deviceIn,
  devicesAt,
  intentLine,
  intentsAt,
  learnt,
  membersOf,
  openIntents,
  type Refusal,
  refusalIn,
  saysMore,
  settledLine,
} from './device-book-lines.ts';
import { readIfThere, unlessFailing } from './small-files.ts';

export type { BookedDevice, DeviceIntent, Refusal } from './device-book-lines.ts';

/** What a name in a team stands for already: devices, and creates to which no answer has come. */
export interface DeviceNamesakes {
  readonly devices: readonly BookedDevice[];
  readonly intents: readonly DeviceIntent[];
}

/** What came of taking in devices: their ids. */
export interface Merged {
  readonly added: readonly string[];
  readonly updated: readonly string[];
}

/** The outcome of noting that a device is going to be created: the key of the intent, or what stood in the way. */
export type Intended = { readonly key: string } | 'duplicate' | 'unwritable';

/** The create of a key; or all of the name of a device in its team, where a person says which one it is. */
export type Answered = { readonly key: string } | 'itsName';

/** The outcome of forgetting a device. */
export type Forgotten = 'forgotten' | 'unknown' | 'unwritable';

/** The only inventory of devices: the API can't list them. Keyed by the origin of the base address. */
export type DeviceBook = ReturnType<typeof createDeviceBook>;

/** Lines of a book that is left as it is, however little they say. */
const fewLines = 200;

/**
 * Opens the device book: a log in `devices.ndjson` of a directory, with a line for each thing learnt or forgotten.
 * @param signal ends the wait for another process that writes it; the line is appended all the same
 */
export function createDeviceBook(directory: string, signal?: () => AbortSignal | undefined) {
  const file = join(directory, 'devices.ndjson');
  const text = (): string => unlessFailing(() => readIfThere(file)) ?? '';
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
  /** @param isSynced for what a call depends on: it is on the disk then */
  const write = (records: (text: string) => readonly JsonObject[], isSynced = false): Promise<boolean> =>
    changeLog(file, signal?.(), { records, compacted, isSynced });
  return {
    /** Its path. */
    file,
    /**
     * The numbers of the lines that can't be read, which all else passes over.
     * @throws Failure `invalidInput` if the file can't be read
     */
    damagedLines(): readonly number[] {
      try {
        return damagedLines(readIfThere(file) ?? '');
      } catch (error) {
        throw unreadable(file, error);
      }
    },
    /** The devices of a service, in the order in which they were first seen. */
    list: (baseUrl: string): readonly BookedDevice[] => devicesAt(text(), originOf(baseUrl)),
    /** What a name in a team stands for already. */
    namesakes: (baseUrl: string, name: string, teamId: string) =>
      namesakesIn(text(), originOf(baseUrl), name, teamId),
    /** Creates to which no answer has come. */
    intents: (baseUrl: string): readonly DeviceIntent[] => intentsAt(text(), originOf(baseUrl)),
    /**
     * Adds, or completes what is known of the same id. Returns false where it could not be written.
     * @param answered the creates that have their answer with it
     */
    record(baseUrl: string, device: BookedDevice, answered?: Answered): Promise<boolean> {
      const origin = originOf(baseUrl);
      const { id, name, teamId } = device;
      return write((text) => {
        const known = devicesAt(text, origin).find((one) => one.id === id);
        const isNews = !known || saysMore(device, known);
        const named = answered === 'itsName' ? namesakesIn(text, origin, name, teamId).intents : [];
        const keys = answered === 'itsName' ? named.map(({ key }) => key) : answered ? [answered.key] : [];
        return [
          ...(isNews ? [{ origin, id, ...membersOf(device) }] : []),
          ...keys.map((key) => settledLine(origin, key)),
        ];
      });
    },
    /**
     * Notes that a device is going to be created, so that it isn't created twice where the answer is lost.
     * @param mayRepeat whether the name may stand for something in that team already
     */
    async intend(baseUrl: string, intent: Omit<DeviceIntent, 'key'>, mayRepeat: boolean): Promise<Intended> {
      const origin = originOf(baseUrl);
      const key = randomUUID();
      let isRepeated = false;
      const isWritten = await write((text) => {
        const { devices, intents } = namesakesIn(text, origin, intent.name, intent.teamId);
        isRepeated = devices.length + intents.length > 0;
        return isRepeated && !mayRepeat ? [] : [intentLine(origin, { ...intent, key })];
      }, true);
      if (isRepeated && !mayRepeat) return 'duplicate';
      return isWritten ? { key } : 'unwritable';
    },
    /** Notes that the answer to a create is known. */
    settle: (baseUrl: string, key: string) => write(() => [settledLine(originOf(baseUrl), key)]),
    /**
     * Takes in what another machine knows of devices: of each the newer words stand, and what they leave out is taken from
     * the older ones. Returns the ids of those that were new and of those of which something was learnt, or undefined where it
     * could not be written.
     */
    async merge(baseUrl: string, devices: readonly BookedDevice[]): Promise<Merged | undefined> {
      const origin = originOf(baseUrl);
      let merged: Merged = { added: [], updated: [] };
      const isWritten = await write((text) => {
        const known = new Map(devicesAt(text, origin).map((device) => [device.id, device]));
        const news = devices.flatMap((device) => {
          const there = known.get(device.id);
          const better = there ? betterOf(there, device) : device;
          return !there || saysMore(better, there) ? [{ better, isNew: !there }] : [];
        });
        const idsOf = (isNew: boolean) =>
          news.filter((one) => one.isNew === isNew).map(({ better: { id } }) => id);
        merged = { added: idsOf(true), updated: idsOf(false) };
        return news.map(({ better }) => ({
          ...{ origin, id: better.id, ...membersOf(better) },
          noted_at: better.notedAt,
        }));
      });
      return isWritten ? merged : undefined;
    },
    /** Notes of a device that is known that sending was refused. */
    recordRefusal: (baseUrl: string, id: string, refusal: Refusal) =>
      change(baseUrl, id, (known) => known && { ...membersOf(known), refusal: { ...refusal } }),
    /** Takes away what is noted of refusals, of whatever service the devices are. */
    async dropRefusals(isMeant: (device: BookedDevice) => boolean): Promise<void> {
      const refused = (text: string): readonly JsonObject[] =>
        [...learnt(text).values()].filter((line) => refusalIn(line) !== undefined && isMeant(deviceIn(line)));
      // Most devices have none, and then nothing is locked.
      if (refused(text()).length === 0) return;
      // What is left out of a line stays as it was; null doesn't.
      await write((text) => refused(text).map((line) => ({ ...line, refusal: null })));
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

/** Returns both as one: the newer one's words, and the older one's where it has none. */
function betterOf(there: BookedDevice, other: BookedDevice): BookedDevice {
  const isNewer = (other.notedAt ?? other.seenAt) > (there.notedAt ?? there.seenAt);
  const [newer, older] = isNewer ? [other, there] : [there, other];
  const isSameTeam = newer.teamId === undefined || isSameId(newer.teamId, older.teamId);
  const isSameBot = newer.botId === undefined || isSameId(newer.botId, older.botId);
  return {
    ...newer,
    name: newer.name ?? older.name,
    teamId: newer.teamId ?? older.teamId,
    teamName: newer.teamName ?? (isSameTeam ? older.teamName : undefined),
    botId: newer.botId ?? older.botId,
    botName: newer.botName ?? (isSameBot ? older.botName : undefined),
  };
}

/** A device without a name, or of a team that isn't known, is nobody's namesake. */
function namesakesIn(
  text: string,
  origin: string,
  name: string | undefined,
  teamId: string | undefined,
): DeviceNamesakes {
  if (name === undefined || teamId === undefined) return { devices: [], intents: [] };
  const isSame = (one: Pick<BookedDevice, 'name' | 'teamId'>): boolean =>
    one.name === name && isSameId(one.teamId, teamId);
  return {
    devices: devicesAt(text, origin).filter(isSame),
    intents: intentsAt(text, origin).filter(isSame),
  };
}

/** Returns the lines that still say something, if most of them are outdated. */
function compacted(text: string): string | undefined {
  const lines = text.split('\n').length;
  if (lines <= fewLines) return undefined;
  const known = [...learnt(text).values(), ...openIntents(text).values()];
  if (lines <= 4 * known.length) return undefined;
  return logText(known);
}
