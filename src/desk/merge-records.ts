import { isSameId } from '../lib/ids.ts';
import { asText, isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import {
  deviceIn,
  type FoldedRecords,
  isOutlived,
  laterTombstone,
  mergedLine,
  saysMore,
  timeIn,
  timesOf,
} from './device-book-lines.ts';

/** The result of merging the records of one book into another. */
export interface MergedRecords {
  /** The records to append to the other book. */
  readonly records: readonly JsonObject[];
  /** Ids of devices: new ones, known ones that changed, and those that were left out because they were forgotten. */
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly leftOut: readonly string[];
}

type Outcome = 'added' | 'updated' | 'leftOut' | 'unchanged';

/**
 * Merges the records of one book into another. For each device the newer entry wins, and members that it omits come
 * from the older one. A tombstone wins over every entry that was not added on purpose after it. The result is the same
 * in both directions.
 */
export function mergeRecords(there: FoldedRecords, other: FoldedRecords): MergedRecords {
  const outcomes: Record<Outcome, string[]> = { added: [], updated: [], leftOut: [], unchanged: [] };
  const records: JsonObject[] = [];
  for (const key of new Set([...other.known.keys(), ...other.forgotten.keys()])) {
    const [known, news] = [there.known.get(key), other.known.get(key)];
    const device = known && news ? betterOf(known, news) : (known ?? news);
    const [old, its] = [there.forgotten.get(key), other.forgotten.get(key)];
    const tombstone = its ? laterTombstone(old, its) : old;
    const isDead = tombstone !== undefined && !(device && isBack(tombstone, device));
    const record = isDead ? tombstone : device;
    if (!record) continue;
    const id = asText(record.id) ?? '';
    if (news) outcomes[isDead ? 'leftOut' : outcomeOf(known, record)].push(id);
    const isThere = isDead ? !known && isSame(old, record) : isSame(known, record);
    if (!isThere) records.push(record);
  }
  const { added, updated, leftOut } = outcomes;
  return { records, added, updated, leftOut };
}

/** Merges two entries of a device. */
function betterOf(known: JsonObject, news: JsonObject): JsonObject {
  // A member without a value would otherwise replace the value of the older entry.
  const [one, other] = [withoutEmpty(known), withoutEmpty(news)];
  const [its, others] = [one, other].map((line) => timeIn(line.noted_at ?? line.seen_at));
  const better =
    its === others
      ? tied(one, other)
      : Number(its) > Number(others)
        ? mergedLine(other, one)
        : mergedLine(one, other);
  const refusals = [one.refusal, other.refusal].filter(isObject);
  const [refusal] = refusals.toSorted((a, b) => timeIn(b.at) - timeIn(a.at) || (isGreater(a, b) ? -1 : 1));
  return { ...better, ...(refusal && { refusal }) };
}

/**
 * Merges two entries with the same time. For each member the greater value wins, so that the order of the entries does
 * not matter.
 */
function tied(one: JsonObject, other: JsonObject): JsonObject {
  const picked = Object.keys({ ...one, ...other }).map((member) => {
    const [its, others] = [ownMember(one, member), ownMember(other, member)];
    return [member, isGreater(its, others) ? its : others];
  });
  const line: JsonObject = { ...Object.fromEntries(picked), ...timesOf(one, other) };
  return { ...line, ...nameOfId('team', line, one, other), ...nameOfId('bot', line, one, other) };
}

/** Returns the name that belongs to the id that won, if the ids differed. */
function nameOfId(noun: 'team' | 'bot', line: JsonObject, one: JsonObject, other: JsonObject): JsonObject {
  const [its, others] = [one, other].map((entry) => asText(entry[`${noun}_id`]));
  if (its === undefined || others === undefined || isSameId(its, others)) return {};
  return { [`${noun}_name`]: (line[`${noun}_id`] === its ? one : other)[`${noun}_name`] };
}

function withoutEmpty(line: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined));
}

function isGreater(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? '') > JSON.stringify(other ?? '');
}

/** Returns whether a device was added again or, after a tombstone of an earlier version, seen again. */
function isBack(tombstone: JsonObject, device: JsonObject): boolean {
  const isLasting = tombstone.tombstone === true;
  return (
    isOutlived(tombstone, device) ||
    (!isLasting && timeIn(device.noted_at ?? device.seen_at) > timeIn(tombstone.forgotten_at))
  );
}

function outcomeOf(known: JsonObject | undefined, device: JsonObject): Outcome {
  if (!known) return 'added';
  return saysMore(deviceIn(device), deviceIn(known)) ? 'updated' : 'unchanged';
}

function isSame(one: JsonObject | undefined, other: JsonObject): boolean {
  return one !== undefined && JSON.stringify(members(one)) === JSON.stringify(members(other));
}

/**
 * Returns the members of a record in a fixed order, without empty ones, and without its author and time, which a log
 * sets.
 */
function members(record: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(record)
    .filter(
      ([name, value]) =>
        value !== undefined && value !== null && !/^((noted|added)_(by|from)|recorded_at)$/.test(name),
    )
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}
