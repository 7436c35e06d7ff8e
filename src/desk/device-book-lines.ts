import { logLines } from '../lib/files/append-log.ts';
import { isSameId } from '../lib/ids.ts';
import { asText, isObject, type JsonObject } from '../lib/json-object.ts';

/** A device in the device book. A token is never stored. */
export interface BookedDevice {
  readonly id: string;
  readonly name?: string | undefined;
  readonly teamId?: string | undefined;
  readonly botId?: string | undefined;
  /** The names at the time of the record. The team or bot may have been renamed in the service since. */
  readonly teamName?: string | undefined;
  readonly botName?: string | undefined;
  /** ISO 8601; when this desk or machine first saw it. */
  readonly seenAt: string;
  /** ISO 8601; when its record last changed. */
  readonly notedAt?: string | undefined;
  /** The actor who last changed its name, team or bot, or added it. Only a desk records it. */
  readonly notedBy?: string | undefined;
  readonly notedFrom?: string | undefined;
  /** The actor who added it. */
  readonly addedBy?: string | undefined;
  readonly addedFrom?: string | undefined;
  /**
   * ISO 8601; when `notedBy` made the last change, by the clock of a desk's database. `notedAt` is also updated by a
   * later refusal.
   */
  readonly changedAt?: string | undefined;
  /** The last refusal to send through it. It is dropped if a message was sent, a ban ended or the connection changed. */
  readonly refusal?: Refusal | undefined;
}

/** A device that was forgotten. Its record, a tombstone, stays until the device is added again. */
export interface ForgottenDevice {
  readonly id: string;
  /** ISO 8601. */
  readonly forgottenAt: string;
  /** The actor who forgot it. Only a desk records it. */
  readonly forgottenBy?: string | undefined;
  readonly forgottenFrom?: string | undefined;
}

/** A refusal of the service to send through a device. */
export interface Refusal {
  /** ISO 8601. */
  readonly at: string;
  /** The reason in the service's words. */
  readonly because: string;
  /** Whether the device was connected at that time. */
  readonly connected: boolean;
  /**
   * The phone and the last disconnect of the device at that time. If either has changed since, the refusal is outdated.
   */
  readonly connection: string;
}

/** A create of a device whose response is missing: the device may exist. */
export interface DeviceIntent {
  readonly key: string;
  readonly name: string;
  readonly teamId: string;
  readonly teamName?: string | undefined;
  /** ISO 8601; when the request was started. */
  readonly at: string;
}

/** Returns the members of a device's line, without its refusal. */
export function membersOf(device: BookedDevice): JsonObject {
  return {
    name: device.name,
    team_id: device.teamId,
    team_name: device.teamName,
    bot_id: device.botId,
    bot_name: device.botName,
    seen_at: device.seenAt,
  };
}

/** The records of a book, merged by origin and id. */
export interface FoldedRecords {
  readonly known: ReadonlyMap<string, JsonObject>;
  /** The tombstones. */
  readonly forgotten: ReadonlyMap<string, JsonObject>;
}

/** Called for each line that adds or forgets a device. @param device the device as it is, or was, in the book */
type OnBookChange = (event: 'added' | 'forgotten', line: JsonObject, device: JsonObject) => void;

/**
 * Merges all lines by origin and id. The later line wins, and members that it omits keep their values. A forgotten
 * device stays forgotten until a later line adds it again. Incomplete lines are skipped; members that another version
 * wrote are kept.
 */
export function foldRecords(text: string, onChange?: OnBookChange): FoldedRecords {
  const known = new Map<string, JsonObject>();
  const forgotten = new Map<string, JsonObject>();
  for (const { value: line } of logLines(text)) {
    if (!isObject(line) || !asText(line.origin) || !asText(line.id)) continue;
    const key = deviceKey(line);
    const device = known.get(key);
    if (asText(line.forgotten_at) !== undefined && !isOutlived(line, device)) {
      if (device) onChange?.('forgotten', line, device);
      known.delete(key);
      forgotten.set(key, laterTombstone(forgotten.get(key), line));
    }
    if (asText(line.seen_at) === undefined) continue;
    const tombstone = forgotten.get(key);
    // Tombstones of earlier versions were not permanent: seeing the device again restored it.
    if (tombstone?.tombstone === true && !isOutlived(tombstone, line)) continue;
    forgotten.delete(key);
    if (!known.has(key)) onChange?.('added', line, line);
    known.set(key, mergedLine(known.get(key), line));
  }
  return { known, forgotten };
}

/** Returns the key of the device of a record in `FoldedRecords`. */
export function deviceKey({ origin, id }: JsonObject): string {
  return JSON.stringify([asText(origin) ?? '', asText(id) ?? '']);
}

/** Returns the forgotten devices of a service. */
export function forgottenAt(text: string, origin: string): readonly ForgottenDevice[] {
  return [...foldRecords(text).forgotten.values()]
    .filter((line) => line.origin === origin)
    .map((line) => ({
      id: asText(line.id) ?? '',
      forgottenAt: asText(line.forgotten_at) ?? '',
      forgottenBy: asText(line.noted_by),
      forgottenFrom: asText(line.noted_from),
    }));
}

/** Returns a time of a record in milliseconds since 1970, or `-Infinity` if it has none. */
export function timeIn(value: unknown): number {
  const time = Date.parse(asText(value) ?? '');
  // The last times that JavaScript can represent leave no room for a later one.
  return Number.isNaN(time) || time > 8e15 ? Number.NEGATIVE_INFINITY : time;
}

/** Returns whether a device was added again on purpose after it was forgotten. */
export function isOutlived(tombstone: JsonObject, device: JsonObject | undefined): boolean {
  return timeIn(device?.added_at) > timeIn(tombstone.forgotten_at);
}

/** Returns the later of two tombstones; if their times are equal, the permanent one. */
export function laterTombstone(one: JsonObject | undefined, other: JsonObject): JsonObject {
  const [its, others] = [one, other].map((tombstone) => timeIn(tombstone?.forgotten_at));
  const isFirst = its === others ? one?.tombstone === true : Number(its) > Number(others);
  return one && isFirst ? one : other;
}

/** Returns a line completed with the members of an earlier one. */
export function mergedLine(earlier: JsonObject | undefined, line: JsonObject): JsonObject {
  const isNews = !earlier || saysMore(deviceIn(line), deviceIn(earlier));
  const { noted_by, noted_from, recorded_at } = isNews
    ? { ...line, recorded_at: line.made_at ?? line.recorded_at }
    : earlier;
  const { added_by, added_from } = earlier ?? { added_by: noted_by, added_from: noted_from };
  // `made_at` belongs to one record only, not to a later record with all members.
  const author = { noted_by, noted_from, recorded_at, added_by, added_from, made_at: undefined };
  return { ...stillTrue(earlier, line), ...line, ...timesOf(earlier, line), ...author };
}

/** Returns the times of two lines of a device. */
export function timesOf(earlier: JsonObject | undefined, line: JsonObject): JsonObject {
  const added = [earlier, line].map((one) => one?.added_at).filter((at) => asText(at) !== undefined);
  return {
    seen_at: firstOf(earlier?.seen_at, line.seen_at),
    noted_at: notedAt(earlier, line),
    added_at: added.toSorted((one, other) => timeIn(other) - timeIn(one))[0],
  };
}

/** Returns the earlier of two times. */
function firstOf(one: unknown, other: unknown): unknown {
  return timeIn(one) !== Number.NEGATIVE_INFINITY && timeIn(one) <= timeIn(other) ? one : other;
}

/** Returns the numbers of the lines that can't be read, from 1. */
export function damagedLines(text: string): readonly number[] {
  return [...logLines(text)].flatMap(({ number, value }) => (isBookLine(value) ? [] : [number]));
}

/** Returns whether a line records a device that was seen or forgotten, or a create that was started or answered. */
function isBookLine(line: unknown): boolean {
  if (!isObject(line) || asText(line.origin) === undefined) return false;
  const isOfDevice = asText(line.id) !== undefined && asText(line.seen_at ?? line.forgotten_at) !== undefined;
  return isOfDevice || asText(line.intent) !== undefined;
}

/** A line that only completes another one may have an earlier time. */
function notedAt(earlier: JsonObject | undefined, line: JsonObject): string {
  const times = [earlier?.noted_at, line.noted_at ?? line.seen_at].map(asText);
  return times.reduce<string>((latest, time = '') => (time > latest ? time : latest), '');
}

/**
 * Returns the members of an earlier line that are still valid after a later one. If the id of a team or bot changes, its
 * old name is dropped.
 */
function stillTrue(earlier: JsonObject = {}, later: JsonObject): JsonObject {
  const isOther = (member: 'team_id' | 'bot_id'): boolean =>
    later[member] !== undefined && !isSameId(asText(later[member]), asText(earlier[member]));
  return {
    ...earlier,
    ...(isOther('team_id') && { team_name: undefined }),
    ...(isOther('bot_id') && { bot_name: undefined }),
  };
}

/** Returns the devices of a service. */
export function devicesAt(text: string, origin: string): readonly BookedDevice[] {
  return [...foldRecords(text).known.values()].filter((line) => line.origin === origin).map(deviceIn);
}

/** Returns the device of a line. */
export function deviceIn(line: JsonObject): BookedDevice {
  return {
    id: asText(line.id) ?? '',
    name: asText(line.name),
    teamId: asText(line.team_id),
    teamName: asText(line.team_name),
    botId: asText(line.bot_id),
    botName: asText(line.bot_name),
    seenAt: asText(line.seen_at) ?? '',
    notedAt: asText(line.noted_at),
    notedBy: asText(line.noted_by),
    notedFrom: asText(line.noted_from),
    addedBy: asText(line.added_by),
    addedFrom: asText(line.added_from),
    changedAt: asText(line.recorded_at),
    refusal: refusalIn(line),
  };
}

/** Returns the refusal of a line, or undefined if it has none. */
export function refusalIn({ refusal }: JsonObject): Refusal | undefined {
  if (!isObject(refusal)) return undefined;
  const [at, because, connection] = [refusal.at, refusal.because, refusal.connection].map(asText);
  if (at === undefined || because === undefined || connection === undefined) return undefined;
  return { at, because, connection, connected: refusal.connected === true };
}

/** Returns whether a seen device has something new compared with the known one. */
export function saysMore(seen: BookedDevice, known: BookedDevice): boolean {
  return (['name', 'teamId', 'teamName', 'botId', 'botName'] as const).some(
    (member) => seen[member] !== undefined && seen[member] !== known[member],
  );
}

/** Returns the line of a create that is being started. */
export function intentLine(origin: string, { key, name, teamId, teamName, at }: DeviceIntent): JsonObject {
  return { origin, intent: key, name, team_id: teamId, team_name: teamName, begun_at: at };
}

/** Returns the line that records the response to a create. */
export function settledLine(origin: string, key: string): JsonObject {
  return { origin, intent: key, settled: true };
}

/** Returns the lines of creates without a response, by their keys. */
export function openIntents(text: string): ReadonlyMap<string, JsonObject> {
  const open = new Map<string, JsonObject>();
  // Most lines are not intents and need not be parsed again.
  for (const { value: line } of logLines(text, (written) => written.includes('"intent"'))) {
    const key = isObject(line) ? asText(line.intent) : undefined;
    if (!isObject(line) || key === undefined) continue;
    if (line.settled === true) open.delete(key);
    else open.set(key, line);
  }
  return open;
}

/** Returns the creates of a service without a response, oldest first. */
export function intentsAt(text: string, origin: string): readonly DeviceIntent[] {
  return [...openIntents(text).values()].flatMap((line) => {
    const [key, name, teamId, at] = [line.intent, line.name, line.team_id, line.begun_at].map(asText);
    if (line.origin !== origin || key === undefined || name === undefined || teamId === undefined) return [];
    return [{ key, name, teamId, teamName: asText(line.team_name), at: at ?? '' }];
  });
}
