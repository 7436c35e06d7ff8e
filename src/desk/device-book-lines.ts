import { logLines } from '../lib/files/append-log.ts';
import { isObject, type JsonObject, textOf } from '../lib/json-object.ts';

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
  /** ISO 8601; when something was last learnt of it. */
  readonly notedAt?: string | undefined;
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

/** A create of a device to which no answer has come: whether the device is there, nobody can say. */
export interface DeviceIntent {
  /** Tells it from others. */
  readonly key: string;
  readonly name: string;
  readonly teamId: string;
  readonly teamName?: string | undefined;
  /** ISO 8601; when it began. */
  readonly at: string;
}

/** Returns what a line tells of a device, but for what the service refused. */
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

/**
 * Returns all lines merged by origin and id: newer words stand, what they leave out stays as it was,
 * and what was forgotten is not there. Lines that aren't whole are passed over; members that another
 * version wrote are kept.
 */
export function learnt(text: string): ReadonlyMap<string, JsonObject> {
  const known = new Map<string, JsonObject>();
  for (const { value: line } of logLines(text)) {
    if (!isObject(line) || !textOf(line.origin) || !textOf(line.id)) continue;
    const key = JSON.stringify([line.origin, line.id]);
    if (textOf(line.forgotten_at) !== undefined) known.delete(key);
    if (textOf(line.seen_at) === undefined) continue;
    const earlier = known.get(key);
    const times = { seen_at: earlier?.seen_at ?? line.seen_at, noted_at: notedAt(earlier, line) };
    known.set(key, { ...stillTrue(earlier, line), ...line, ...times });
  }
  return known;
}

/** Returns the numbers of the lines that can't be read, from 1. */
export function damagedLines(text: string): readonly number[] {
  return [...logLines(text)].flatMap(({ number, value }) => (isBookLine(value) ? [] : [number]));
}

/** True if a line tells of a device that was seen or forgotten, or of a create that began or was answered. */
function isBookLine(line: unknown): boolean {
  if (!isObject(line) || textOf(line.origin) === undefined) return false;
  const isOfDevice = textOf(line.id) !== undefined && textOf(line.seen_at ?? line.forgotten_at) !== undefined;
  return isOfDevice || textOf(line.intent) !== undefined;
}

/** A line that only completes another one may tell of an earlier time. */
function notedAt(earlier: JsonObject | undefined, line: JsonObject): string {
  const times = [earlier?.noted_at, line.noted_at ?? line.seen_at].map(textOf);
  return times.reduce<string>((latest, time = '') => (time > latest ? time : latest), '');
}

/** Returns what a later line leaves of an earlier one: the name of a team or bot goes with its id. */
function stillTrue(earlier: JsonObject = {}, later: JsonObject): JsonObject {
  const isOther = (member: 'team_id' | 'bot_id'): boolean =>
    later[member] !== undefined && later[member] !== earlier[member];
  return {
    ...earlier,
    ...(isOther('team_id') && { team_name: undefined }),
    ...(isOther('bot_id') && { bot_name: undefined }),
  };
}

/** Returns the devices of a service. */
export function devicesAt(text: string, origin: string): readonly BookedDevice[] {
  return [...learnt(text).values()].filter((line) => line.origin === origin).map(deviceIn);
}

/** Returns the device of a line. */
export function deviceIn(line: JsonObject): BookedDevice {
  return {
    id: textOf(line.id) ?? '',
    name: textOf(line.name),
    teamId: textOf(line.team_id),
    teamName: textOf(line.team_name),
    botId: textOf(line.bot_id),
    botName: textOf(line.bot_name),
    seenAt: textOf(line.seen_at) ?? '',
    notedAt: textOf(line.noted_at),
    refusal: refusalIn(line),
  };
}

/** Returns the refusal of a line, or undefined if it has none. */
export function refusalIn({ refusal }: JsonObject): Refusal | undefined {
  if (!isObject(refusal)) return undefined;
  const [at, because, connection] = [refusal.at, refusal.because, refusal.connection].map(textOf);
  if (at === undefined || because === undefined || connection === undefined) return undefined;
  return { at, because, connection, connected: refusal.connected === true };
}

/** True if there is something new in what was seen of a device. */
export function saysMore(seen: BookedDevice, known: BookedDevice): boolean {
  return (['name', 'teamId', 'teamName', 'botId', 'botName'] as const).some(
    (member) => seen[member] !== undefined && seen[member] !== known[member],
  );
}

/** Returns the line of a create that begins. */
export function intentLine(origin: string, { key, name, teamId, teamName, at }: DeviceIntent): JsonObject {
  return { origin, intent: key, name, team_id: teamId, team_name: teamName, begun_at: at };
}

/** Returns the line that says that the answer to a create is known. */
export function settledLine(origin: string, key: string): JsonObject {
  return { origin, intent: key, settled: true };
}

/** Returns the lines of the creates to which no answer has come, by their keys. */
export function openIntents(text: string): ReadonlyMap<string, JsonObject> {
  const open = new Map<string, JsonObject>();
  // Most lines are no intents, and needn't be parsed again.
  for (const { value: line } of logLines(text, (written) => written.includes('"intent"'))) {
    const key = isObject(line) ? textOf(line.intent) : undefined;
    if (!isObject(line) || key === undefined) continue;
    if (line.settled === true) open.delete(key);
    else open.set(key, line);
  }
  return open;
}

/** Returns the creates of a service to which no answer has come, the oldest first. */
export function intentsAt(text: string, origin: string): readonly DeviceIntent[] {
  return [...openIntents(text).values()].flatMap((line) => {
    const [key, name, teamId, at] = [line.intent, line.name, line.team_id, line.begun_at].map(textOf);
    if (line.origin !== origin || key === undefined || name === undefined || teamId === undefined) return [];
    return [{ key, name, teamId, teamName: textOf(line.team_name), at: at ?? '' }];
  });
}
