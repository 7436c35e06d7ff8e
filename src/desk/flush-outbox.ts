import type { Kysely } from 'kysely';
import { DatabaseError } from '../database/error.ts';
import type { Database } from '../database/open.ts';
import { logLines } from '../lib/files/append-log.ts';
import { groupBy, inChunks } from '../lib/iterables.ts';
import { asText, isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { type Actor, actorText } from './actor.ts';
import { isAwayFailure } from './away.ts';
import { type BookCopy, recordIn } from './book-copy.ts';
import { clockAhead } from './clock-ahead.ts';
import type { ConnectedDesk } from './connect.ts';
import {
  deviceIn,
  deviceKey,
  type FoldedRecords,
  foldRecords,
  mergedLine,
  saysMore,
  timeIn,
} from './device-book-lines.ts';
import { type DeviceEvent, eventIn, membersOf } from './device-history-lines.ts';
import { historyLock, lastEvents } from './history-rows.ts';
import { type EventRow, insertEvents, insertRecords } from './insert-rows.ts';
import { isForbidden, mayNotWrite } from './may-not-write.ts';
import type { Outbox, OutboxEntry, OutboxRecord } from './outbox.ts';
import { bookLock } from './schema.ts';
import { lateEvent } from './state-events.ts';
import type { DeskTables } from './tables.ts';

/** The parts of a desk that a flush uses. */
export interface FlushContext {
  readonly copy: BookCopy;
  readonly outbox: Outbox;
  readonly actor: Actor;
  /** Brings the copy up to date. */
  pull(db: Kysely<DeskTables>): Promise<void>;
}

/** The result of flushing an outbox. */
export interface FlushResult {
  /** The number of changes that were added to the database. */
  readonly added: number;
  /** The refused changes, with their reasons. */
  readonly refused: readonly OutboxEntry[];
}

type OutboxEvent = Extract<OutboxEntry, { readonly kind: 'event' }>;

/** The result of applying an entry. `known` means that the database had it already, or an equal record. */
type Result =
  | { readonly kind: 'added' | 'known'; readonly place?: number | undefined }
  | { readonly kind: 'refused'; readonly because: string };

/** The maximum number of entries per transaction. */
const batchSize = 200;

/**
 * Applies the changes that waited for the database, many per transaction. A change of a device is refused if another
 * machine has changed the device since this machine last saw it, unless both changes are the same. A state that another
 * machine has recorded is left out. A refused send is left out of the device book if another machine has recorded or
 * dropped a later one; the history has each of them as an event.
 * @param now returns milliseconds since 1970, by the clock of this machine
 * @throws DatabaseError if the database becomes unavailable meanwhile; entries that were applied are recognized by their
 *   ids later
 */
export async function flushOutbox(
  database: ConnectedDesk,
  context: FlushContext,
  now: () => number,
): Promise<FlushResult> {
  const { outbox } = context;
  // If the database was restored, the entries that it lost come first: the changes of this machine are newer.
  if (outbox.waiting().some(({ kind }) => kind === 'record')) await context.pull(database.db);
  const waiting = outbox.waiting().toSorted((one, other) => Number(!one.author) - Number(!other.author));
  const records = waiting.filter((entry) => entry.kind === 'record');
  const events = waiting.filter((entry) => entry.kind === 'event');
  const ownIds = new Set(records.map(({ id }) => id));
  const applied = new Set<string>();
  const refused = new Map<string, { readonly at: string; readonly because: string }>();
  const places = new Map<string, number>();
  const refusals: OutboxEntry[] = [];
  let added = 0;
  const settle = (entry: OutboxEntry, result: Result): void => {
    if (result.kind === 'refused') {
      const refusal = { at: new Date(now()).toISOString(), because: result.because };
      refused.set(entry.id, refusal);
      refusals.push({ ...entry, refused: refusal });
      return;
    }
    applied.add(entry.id);
    if (result.kind === 'added') added += 1;
    if (entry.kind === 'record' && result.place !== undefined)
      places.set(deviceKey(entry.record), result.place);
  };
  let mayWrite = true;
  /** Applies all entries or none. If the database refuses them, applies each half separately. */
  const apply = async <Entry extends OutboxEntry>(
    entries: readonly Entry[],
    work: (entries: readonly Entry[]) => Promise<ReadonlyMap<string, Result>>,
  ): Promise<void> => {
    if (!mayWrite) return;
    try {
      const results = await work(entries);
      for (const entry of entries) settle(entry, results.get(entry.id) ?? { kind: 'known' });
    } catch (error) {
      // A standby will accept them later. If this user may not write, events are left for a user who may.
      mayWrite = !mayNotWrite(error);
      if (!mayWrite) return;
      if (!(error instanceof DatabaseError) || isAwayFailure(database.failureOf(error))) throw error;
      const [first, ...others] = entries;
      if (first && others.length === 0) {
        const because = `the database refuses it: ${oneLine(error.message, 200)}`;
        return settle(first, { kind: 'refused', because });
      }
      const half = Math.ceil(entries.length / 2);
      await apply(entries.slice(0, half), work);
      await apply(entries.slice(half), work);
    }
  };
  try {
    const ahead = await clockAhead(database, now);
    for (const batch of inChunks(records, batchSize))
      await apply(batch, (some) => applyRecords(database, context, some, { ownIds, ahead }));
    for (const [origin, ofOrigin] of groupBy(events, ({ event }) => asText(event.origin) ?? ''))
      for (const batch of inChunks(ofOrigin, batchSize))
        await apply(batch, (some) => applyEvents(database, context, some, { origin, ahead }));
  } finally {
    if (applied.size + refused.size > 0) await outbox.settle({ applied, refused, places }, now());
  }
  return { added, refused: refusals };
}

/**
 * Inserts records of the device book, each with the time at which it was made. Records that the database lost are
 * restored unchanged.
 * @param options `ownIds`: the ids of all waiting changes; changes of one device on this machine do not conflict with
 *   each other
 * @returns the results, by the ids of the entries
 */
async function applyRecords(
  database: Database<DeskTables>,
  desk: Omit<FlushContext, 'outbox'>,
  entries: readonly OutboxRecord[],
  { ownIds, ahead }: { readonly ownIds: ReadonlySet<string>; readonly ahead: number },
): Promise<ReadonlyMap<string, Result>> {
  const results = new Map<string, Result>();
  try {
    await database.db.transaction().execute(async (transaction) => {
      await database.lock(transaction, bookLock);
      await desk.pull(transaction);
      const resultOf = resultsBy(desk.copy.text(), ownIds);
      const news = entries.filter((entry) => {
        const result = resultOf(entry);
        if (result) results.set(entry.id, result);
        return !result;
      });
      const rows = news.map(({ id, at, record, author }) => {
        const made_at = author ? (record.made_at ?? at) : new Date(Date.parse(at) + ahead).toISOString();
        return { id, record: { ...record, made_at }, actor: author ?? desk.actor };
      });
      for (const [id, place] of await insertRecords(transaction, rows))
        results.set(id, { kind: 'added', place });
    });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    // If they stayed in the outbox, this machine would permanently hide what others see.
    const refused: Result = { kind: 'refused', because: 'this database user can only read' };
    for (const { id } of entries) results.set(id, results.get(id) ?? refused);
  }
  return results;
}

/**
 * Returns a function that returns the result of a record by the device book, or undefined if the record must be
 * inserted.
 */
function resultsBy(text: string, ownIds: ReadonlySet<string>): (entry: OutboxRecord) => Result | undefined {
  const stored = new Map<string, number | undefined>();
  /** The places of the last records of other machines, by device. */
  const places = new Map<string, number>();
  /** The last records of other machines that record or drop a refused send, by device. */
  const refusals = new Map<string, JsonObject>();
  for (const { value: line } of logLines(text)) {
    if (!isObject(line)) continue;
    const [change, place] = [asText(line.change) ?? '', placeOf(line)];
    stored.set(change, place);
    if (place === undefined || ownIds.has(change)) continue;
    places.set(deviceKey(line), place);
    if (line.refusal !== undefined) refusals.set(deviceKey(line), line);
  }
  let folded: FoldedRecords | undefined;
  let changes: ReadonlyMap<string, JsonObject> | undefined;
  return ({ id, at, record, seen }) => {
    // It was committed, although the response was lost.
    if (stored.has(id)) return { kind: 'known', place: stored.get(id) };
    const key = deviceKey(record);
    if (asText(record.id) === undefined || (places.get(key) ?? 0) <= seen) return undefined;
    // Only conflicts need these.
    folded ??= foldRecords(text);
    changes ??= lastChanges(text, ownIds);
    const device = folded.known.get(key);
    const isSaid = record.forgotten_at === undefined ? device && saysAsMuch(device, record) : !device;
    if (isSaid) {
      const refusal = refusals.get(key);
      const isLast =
        !refusal || (placeOf(refusal) ?? 0) <= seen || refusedAt(refusal) < refusedAt(record, at);
      return record.refusal !== undefined && isLast ? undefined : { kind: 'known' };
    }
    const change = changes.get(key);
    if (!change || (placeOf(change) ?? 0) <= seen) return undefined;
    const by = actorText(asText(change.noted_by), asText(change.noted_from)) ?? 'another machine';
    const when = asText(change.made_at ?? change.recorded_at ?? change.noted_at) ?? 'an unknown time';
    return { kind: 'refused', because: `${by} changed the device meanwhile, at ${when}` };
  };
}

/**
 * Returns the last change of each device by another machine. A record that only concerns a refused send is not a
 * change.
 */
function lastChanges(text: string, ownIds: ReadonlySet<string>): ReadonlyMap<string, JsonObject> {
  const changes = new Map<string, JsonObject>();
  const known = new Map<string, JsonObject>();
  for (const { value: line } of logLines(text)) {
    if (!isObject(line)) continue;
    const key = deviceKey(line);
    const device = known.get(key);
    const isOfRefusal = line.refusal !== undefined && device && !saysMore(deviceIn(line), deviceIn(device));
    if (!isOfRefusal && !ownIds.has(asText(line.change) ?? '')) changes.set(key, line);
    if (asText(line.forgotten_at) === undefined) known.set(key, mergedLine(device, line));
    else known.delete(key);
  }
  return changes;
}

/** Returns when a send was refused, or when that refusal was dropped. @param at when the record was made */
function refusedAt({ refusal, made_at, recorded_at, noted_at }: JsonObject, at?: string): number {
  return timeIn(isObject(refusal) ? refusal.at : (at ?? made_at ?? recorded_at ?? noted_at));
}

function placeOf({ place }: JsonObject): number | undefined {
  return typeof place === 'number' ? place : undefined;
}

/** Returns whether a known device has the values of all members of a record, apart from its times and refused send. */
function saysAsMuch(known: JsonObject, record: JsonObject): boolean {
  const {
    seen_at: _seen,
    noted_at: _noted,
    added_at: _added,
    made_at: _made,
    refusal: _refusal,
    ...members
  } = recordIn(record);
  return Object.entries(members).every(
    ([name, value]) =>
      value === undefined || JSON.stringify(ownMember(known, name)) === JSON.stringify(value),
  );
}

/**
 * Inserts events of devices of a service, except states that the events before and after them already show. Events that
 * the database lost are restored unchanged.
 * @returns the results, by the ids of the entries; a missing entry was known already
 */
async function applyEvents(
  database: Database<DeskTables>,
  { actor }: Pick<FlushContext, 'actor'>,
  entries: readonly OutboxEvent[],
  { origin, ahead }: { readonly origin: string; readonly ahead: number },
): Promise<ReadonlyMap<string, Result>> {
  const deviceOf = ({ event }: OutboxEvent): string => asText(event.device) ?? '';
  const devices = [...new Set(entries.filter(({ author }) => !author).map(deviceOf))];
  const ids = await database.db.transaction().execute(async (transaction) => {
    // The locks are acquired in the same order on all machines, so that there is no deadlock.
    const locks = devices.map((device) => historyLock(origin, device)).toSorted((one, other) => one - other);
    if (locks.length > 0) await database.lock(transaction, ...locks);
    const lost = entries.flatMap(({ id, at, event, author }): readonly EventRow[] =>
      author ? [{ id, at: new Date(at), event, actor: author }] : [],
    );
    const restored = await insertEvents(transaction, lost);
    const sofar = new Map<string, readonly DeviceEvent[]>(await lastEvents(transaction, origin, devices));
    const rows = entries.flatMap((entry): readonly EventRow[] => {
      const { id, event: line, author } = entry;
      if (author) return [];
      const device = deviceOf(entry);
      const time = Date.parse(entry.at) + ahead;
      const event = eventIn({ ...line, at: new Date(time).toISOString() });
      const events = sofar.get(device) ?? [];
      const isEarlier = (other: DeviceEvent): boolean => Date.parse(other.at) <= time;
      const [before, after] = [events.filter(isEarlier), events.filter((other) => !isEarlier(other))];
      const news = event && lateEvent(before, event, after);
      if (!news) return [];
      sofar.set(device, [...before, news, ...after]);
      return [{ id, at: new Date(time), event: membersOf(news, origin, device), actor }];
    });
    return [...restored, ...(await insertEvents(transaction, rows))];
  });
  return new Map(ids.map((id) => [id, { kind: 'added' }]));
}
