import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Failure } from '../lib/errors.ts';
import { changeLog, logText } from '../lib/files/append-log.ts';
import { readFailure } from '../lib/files/file-failure.ts';
import { isSameId } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { originOf } from '../settings/base-url.ts';
import { ignoreErrors, readIfExists } from '../settings/small-files.ts';
import { type BookEvent, bookEvents } from './book-events.ts';
import {
  type BookedDevice,
  type DeviceIntent,
  damagedLines,
  deviceIn,
  deviceKey,
  devicesAt,
  type ForgottenDevice,
  foldRecords,
  forgottenAt,
  intentLine,
  intentsAt,
  membersOf,
  openIntents,
  type Refusal,
  refusalIn,
  saysMore,
  settledLine,
  timeIn,
} from './device-book-lines.ts';
import { localNames } from './local-files.ts';
import { type MergedRecords, mergeRecords } from './merge-records.ts';
import type { UsedNames } from './used-names.ts';

export type { BookedDevice, DeviceIntent, ForgottenDevice, Refusal } from './device-book-lines.ts';

/** The devices with a name in a team, and the creates without a response. */
export interface DeviceNamesakes {
  readonly devices: readonly BookedDevice[];
  readonly intents: readonly DeviceIntent[];
}

/** The ids of merged devices, grouped by result. */
export type MergeResult = Omit<MergedRecords, 'records'>;

/** The result of recording an intent to create a device: its key, or why it was not recorded. */
export type IntendResult = { readonly key: string } | 'duplicate' | 'unwritable';

/** The intent with a key; or all intents with the name of a device in its team, if the user says which device it is. */
export type IntentChoice = { readonly key: string } | 'itsName';

/** The result of forgetting a device. */
export type ForgetResult = 'forgotten' | 'unknown' | 'unwritable';

/** A book with at most this many lines is not compacted. */
const fewLines = 200;

/** How long a tombstone is stored, in milliseconds: longer than old exports and copies of a book are usually in use. */
const tombstoneMs = 90 * 24 * 3_600_000;

/** The storage of the records of a device book, as lines of JSON: see `device-book-lines.ts`. */
export interface BookLog {
  /** The local file of the records. */
  readonly file: string;
  /** Returns the text of all records, or an empty text if they can't be read. */
  read(): Promise<string>;
  /**
   * Appends records under a lock. If another process holds the lock of a file for too long, appends without it.
   * @param records returns the new records for the text of the existing ones
   * @param isSynced for a record that a request depends on: it is on the disk before this returns
   * @returns false if they could not be written; `unwritable` then returns why
   */
  change(records: (text: string) => readonly JsonObject[], isSynced?: boolean): Promise<boolean>;
  /** Returns the failure for records that could not be written. */
  unwritable(): Promise<Failure>;
}

/**
 * The device book of one service: the only inventory of its devices, because the API can't list them. Each change of a
 * device is a record, and so is its removal.
 */
export type DeviceBook = ReturnType<typeof createDeviceBook>;

/**
 * Opens the device book of a service.
 * @param log the records, including those of other services
 * @param usedNames the devices that this machine used names for; changes by this machine update it
 */
export function createDeviceBook(log: BookLog, baseUrl: string, usedNames?: UsedNames) {
  const origin = originOf(baseUrl);
  return {
    /** The local file of its records. */
    file: log.file,
    /** The devices that names referred to when this machine last used them. */
    usedNames,
    /** Returns the failure for the last change that could not be written. */
    unwritable: () => log.unwritable(),
    /** See `damagedLinesOf`. */
    damagedLines: () => damagedLinesOf(log),
    /** Returns the devices, in the order in which they were first seen. */
    list: async (): Promise<readonly BookedDevice[]> => devicesAt(await log.read(), origin),
    /** Returns the devices with a name in a team, and the creates without a response. */
    namesakes: async (name: string, teamId: string): Promise<DeviceNamesakes> =>
      namesakesIn(await log.read(), origin, name, teamId),
    /** Returns the creates without a response. */
    intents: async (): Promise<readonly DeviceIntent[]> => intentsAt(await log.read(), origin),
    /**
     * Returns when its devices were added and forgotten, and by whom, newest first. The list is empty if the book is a
     * file.
     */
    events: async (): Promise<readonly BookEvent[]> => bookEvents(await log.read(), origin),
    /** Returns the devices that were forgotten and not added again. */
    forgotten: async (): Promise<readonly ForgottenDevice[]> => forgottenAt(await log.read(), origin),
    /**
     * Adds a device on purpose, or completes the one with the same id. A forgotten device is restored. Returns false if
     * it could not be written.
     * @param answered the creates whose response this is
     */
    async record(device: BookedDevice, answered?: IntentChoice): Promise<boolean> {
      const { id, name, teamId, seenAt } = device;
      const isWritten = await log.change((text) => {
        const known = devicesAt(text, origin).find((one) => one.id === id);
        const isNews = !known || saysMore(device, known);
        const named = answered === 'itsName' ? namesakesIn(text, origin, name, teamId).intents : [];
        const keys = answered === 'itsName' ? named.map(({ key }) => key) : answered ? [answered.key] : [];
        const added_at = addedAt(seenAt, tombstoneIn(text, origin, id));
        return [
          ...(isNews ? [{ origin, id, ...membersOf(device), added_at }] : []),
          ...keys.map((key) => settledLine(origin, key)),
        ];
      });
      if (isWritten && name !== undefined) await usedNames?.set(name, id, seenAt);
      return isWritten;
    },
    /**
     * Adds a device that a command saw, or completes the one with the same id. A forgotten device stays forgotten.
     * Returns false if it could not be written.
     */
    recordSeen: (device: BookedDevice) =>
      log.change((text) => {
        if (tombstoneIn(text, origin, device.id)) return [];
        const known = devicesAt(text, origin).find(({ id }) => id === device.id);
        return known && !saysMore(device, known) ? [] : [{ origin, id: device.id, ...membersOf(device) }];
      }),
    /**
     * Records the intent to create a device, so that it isn't created twice if the response is lost.
     * @param mayRepeat whether the team may already have a device with the name
     */
    async intend(intent: Omit<DeviceIntent, 'key'>, mayRepeat: boolean): Promise<IntendResult> {
      const key = randomUUID();
      let isRepeated = false;
      const isWritten = await log.change((text) => {
        const { devices, intents } = namesakesIn(text, origin, intent.name, intent.teamId);
        isRepeated = devices.length + intents.length > 0;
        return isRepeated && !mayRepeat ? [] : [intentLine(origin, { ...intent, key })];
      }, true);
      if (isRepeated && !mayRepeat) return 'duplicate';
      return isWritten ? { key } : 'unwritable';
    },
    /** Records that a create has a response. */
    settle: (key: string) => log.change(() => [settledLine(origin, key)]),
    /**
     * Merges devices of another machine. The newer entry wins; members that it omits come from the older one.
     * @param restoredAt ISO 8601; now. If it is given, devices that were forgotten here are restored; if not, they are
     *   left out
     * @returns undefined if it could not be written
     */
    async merge(devices: readonly BookedDevice[], restoredAt?: string): Promise<MergeResult | undefined> {
      let merged: MergeResult | undefined;
      const isWritten = await log.change((text) => {
        const inOrder = devices.toSorted(
          (a, b) => timeIn(a.notedAt ?? a.seenAt) - timeIn(b.notedAt ?? b.seenAt),
        );
        const there = foldRecords(text);
        const other = inOrder.map((device) => {
          const added_at =
            restoredAt && addedAt(restoredAt, there.forgotten.get(deviceKey({ origin, id: device.id })));
          return { origin, id: device.id, ...membersOf(device), noted_at: device.notedAt, added_at };
        });
        const { records, ...ids } = mergeRecords(there, foldRecords(logText(other)));
        merged = ids;
        return records;
      });
      return isWritten ? merged : undefined;
    },
    /** Records that the service refused to send through a known device. */
    recordRefusal: (id: string, refusal: Refusal) =>
      log.change((text) => {
        const known = foldRecords(text).known.get(deviceKey({ origin, id }));
        return known ? [refusalLine(known, { ...refusal })] : [];
      }),
    /** Removes the refusals of devices. */
    async dropRefusals(isChosen: (device: BookedDevice) => boolean): Promise<void> {
      const refused = (text: string): readonly JsonObject[] =>
        [...foldRecords(text).known.values()].filter(
          (line) => line.origin === origin && refusalIn(line) !== undefined && isChosen(deviceIn(line)),
        );
      // Most devices have no refusal, and then no lock is needed.
      if (refused(await log.read()).length === 0) return;
      // A member that a line omits keeps its value, so null removes it.
      await log.change((text) => refused(text).map((line) => refusalLine(line, null)));
    },
    /**
     * Removes a device. Only adding it again on purpose restores it.
     * @param at ISO 8601; now
     */
    async forget(id: string, at: string): Promise<ForgetResult> {
      let outcome: ForgetResult = 'unknown';
      const isDone = await log.change((text) => {
        const known = foldRecords(text).known.get(deviceKey({ origin, id }));
        if (!known) return [];
        outcome = 'forgotten';
        return [{ origin, id, forgotten_at: after(known.added_at, at), tombstone: true }];
      });
      if (!isDone) return 'unwritable';
      await usedNames?.drop(id);
      return outcome;
    },
  };
}

/**
 * Opens the records in `devices.ndjson` in a directory.
 * @param signal aborts the wait for another process that writes them; the record is appended nevertheless
 */
export function fileLog(directory: string, signal?: AbortSignal): BookLog {
  const file = join(directory, localNames.book);
  return {
    file,
    read: async () => asTextLog(file),
    change: (records, isSynced = false) => changeLog(file, signal, { records, compact, isSynced }),
    unwritable: async () => unwritable(file),
  };
}

/** Returns the failure for a file of records that could not be written. */
export function unwritable(file: string): Failure {
  return new Failure('invalidInput', `The device book can't be written in ${dirname(file)}.`, {
    hint: 'Check the permissions of that directory and the space on its disk.',
  });
}

/**
 * Returns the numbers of the lines of a file of records that can't be read and are ignored elsewhere.
 * @throws Failure `invalidInput` if the file can't be read
 */
export function damagedLinesOf({ file }: Pick<BookLog, 'file'>): readonly number[] {
  try {
    return damagedLines(readIfExists(file) ?? '');
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** Returns the devices in `devices.ndjson` in a directory. */
export function devicesInFile(directory: string, baseUrl: string): readonly BookedDevice[] {
  return devicesAt(asTextLog(join(directory, localNames.book)), originOf(baseUrl));
}

function asTextLog(file: string): string {
  return ignoreErrors(() => readIfExists(file)) ?? '';
}

/**
 * Returns the line of a refusal. It omits the name, team and bot, because another machine may change those before a
 * desk receives the line.
 */
function refusalLine({ origin, id, seen_at }: JsonObject, refusal: JsonObject | null): JsonObject {
  return { origin, id, seen_at, refusal };
}

function tombstoneIn(text: string, origin: string, id: string): JsonObject | undefined {
  return foldRecords(text).forgotten.get(deviceKey({ origin, id }));
}

/** Returns the time to record for a device that is added: now, or right after its tombstone if that is later. */
function addedAt(now: string, tombstone: JsonObject | undefined): string {
  return after(tombstone?.forgotten_at, now);
}

/** Returns a time, or the instant right after another time if that is later. The clocks of machines differ. */
function after(earlier: unknown, time: string): string {
  return new Date(Math.max(timeIn(earlier) + 1, Date.parse(time))).toISOString();
}

/** Returns the devices and open creates with a name in a team; none if the name or the team is unknown. */
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

/** Returns the current lines if most lines are outdated; otherwise undefined. */
function compact(text: string): string | undefined {
  const lines = text.split('\n').length;
  if (lines <= fewLines) return undefined;
  const { known, forgotten } = foldRecords(text);
  const oldest = Date.now() - tombstoneMs;
  const tombstones = [...forgotten.values()].filter((line) => timeIn(line.forgotten_at) >= oldest);
  const left = [...known.values(), ...tombstones, ...openIntents(text).values()];
  if (lines <= 4 * left.length) return undefined;
  return logText(left);
}
