import type { Kysely } from 'kysely';
import { DatabaseError } from '../database/error.ts';
import type { Database } from '../database/open.ts';
import { logLines } from '../lib/files/append-log.ts';
import { isObject, type JsonObject, own, textOf } from '../lib/json-object.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { type Actor, actorText } from './actor.ts';
import { isAwayFailure } from './away.ts';
import { type BookCopy, recordIn } from './book-copy.ts';
import { changeInWords } from './change-in-words.ts';
import { clockAhead } from './clock-ahead.ts';
import type { ConnectedDesk } from './connect.ts';
import { keyOf } from './device-book-lines.ts';
import { type DeviceEvent, eventIn, membersOf } from './device-history-lines.ts';
import { historyLock, lastEvents } from './history-rows.ts';
import { insertEvents, insertRecord } from './insert-rows.ts';
import { isForbidden, mayNotWrite } from './may-not-write.ts';
import type { Outbox, OutboxEntry, OutboxRecord } from './outbox.ts';
import { bookLock } from './schema.ts';
import { lateEvent } from './state-events.ts';
import type { DeskTables } from './tables.ts';

/** What a flush uses of a desk. */
export interface FlushContext {
  readonly copy: BookCopy;
  readonly outbox: Outbox;
  readonly actor: Actor;
  /** Brings the copy up to date. */
  pull(db: Kysely<DeskTables>): Promise<void>;
}

/** The result of applying an outbox. */
export interface FlushResult {
  /** How many were added to the database. */
  readonly added: number;
  /** A sentence for each that was refused. */
  readonly refused: readonly string[];
}

/**
 * Applies the changes that waited for the database. Each has its own transaction. A change of a device that another machine has
 * changed since this machine last saw the device is refused, unless it says the same. A state that another machine has recorded is
 * left out.
 * @param now returns milliseconds since 1970, by the clock of this machine
 * @throws DatabaseError if the database goes away meanwhile; the entries that were applied are recognized by their ids later
 */
export async function flushOutbox(
  database: ConnectedDesk,
  context: FlushContext,
  now: () => number,
): Promise<FlushResult> {
  const { outbox } = context;
  const applied = new Set<string>();
  const refused = new Map<string, { readonly at: string; readonly because: string }>();
  const places = new Map<string, number>();
  const sentences: string[] = [];
  let added = 0;
  let ahead: number | undefined;
  let mayAddEvents = true;
  const refuse = (entry: OutboxEntry, because: string): void => {
    refused.set(entry.id, { at: new Date(now()).toISOString(), because });
    sentences.push(`${changeInWords(entry)}: ${because}.`);
  };
  try {
    const waiting = outbox.waiting();
    const ownIds = new Set(waiting.map(({ id }) => id));
    for (const entry of waiting) {
      if (entry.kind === 'event' && !mayAddEvents) continue;
      try {
        if (entry.kind === 'event') ahead ??= await clockAhead(database, now);
        const result =
          entry.kind === 'event'
            ? await applyEvent(database, context, entry, ahead ?? 0)
            : await applyRecord(database, context, entry, ownIds);
        if (result.kind === 'refused') {
          refuse(entry, result.because);
          continue;
        }
        applied.add(entry.id);
        if (result.kind === 'added') added += 1;
        const { origin, id } = entry.kind === 'record' ? entry.record : {};
        if (result.place !== undefined)
          places.set(keyOf(textOf(origin) ?? '', textOf(id) ?? ''), result.place);
      } catch (error) {
        if (isForbidden(error)) {
          // Events are left for a user who may write. A record would hide on this machine alone what others see.
          if (entry.kind === 'record') refuse(entry, 'this user of the database may only read');
          else mayAddEvents = false;
          continue;
        }
        // A standby takes them later.
        if (mayNotWrite(error)) break;
        if (!(error instanceof DatabaseError) || isAwayFailure(database.failureOf(error))) throw error;
        refuse(entry, `the database refuses it: ${oneLine(error.message, 200)}`);
      }
    }
  } finally {
    if (applied.size + refused.size > 0) await outbox.settle({ applied, refused, places }, now());
  }
  return { added, refused: sentences };
}

/** The result of applying an entry: `known` if the database had as much. */
type Applied =
  | { readonly kind: 'added' | 'known'; readonly place?: number | undefined }
  | { readonly kind: 'refused'; readonly because: string };

/**
 * Inserts a record of the device book. One that the database lost keeps its author.
 * @param ownIds of all changes that waited: those of one device do not contradict each other
 */
function applyRecord(
  database: Database<DeskTables>,
  context: FlushContext,
  entry: OutboxRecord,
  ownIds: ReadonlySet<string>,
): Promise<Applied> {
  return database.db.transaction().execute(async (transaction) => {
    await database.lock(transaction, bookLock);
    await context.pull(transaction);
    const { origin, id } = entry.record;
    let known: JsonObject = {};
    /** The place of the last change by another machine. */
    let place = 0;
    for (const { value: line } of logLines(context.copy.text())) {
      if (!isObject(line)) continue;
      // Its commit was not answered, and did happen.
      if (line.change === entry.id)
        return { kind: 'known', place: typeof line.place === 'number' ? line.place : undefined };
      if (id === undefined || line.id !== id || line.origin !== origin) continue;
      const isLiving = line.forgotten_at === undefined && known.forgotten_at === undefined;
      known = isLiving ? { ...known, ...line } : line;
      if (typeof line.place === 'number' && !ownIds.has(textOf(line.change) ?? '')) place = line.place;
    }
    if (place <= entry.seen) {
      return { kind: 'added', place: await insertRecord(transaction, entry, entry.author ?? context.actor) };
    }
    if (saysAsMuch(known, entry.record)) return { kind: 'known' };
    const by = actorText(textOf(known.noted_by), textOf(known.noted_from)) ?? 'another machine';
    return {
      kind: 'refused',
      because: `${by} changed the device meanwhile, at ${textOf(known.noted_at) ?? 'an unknown time'}`,
    };
  });
}

/** True if a known device is as a record says. */
function saysAsMuch(known: JsonObject, record: JsonObject): boolean {
  if (record.forgotten_at !== undefined) return known.forgotten_at !== undefined;
  if (known.forgotten_at !== undefined) return false;
  const { seen_at: _seen, noted_at: _noted, added_at: _added, ...members } = recordIn(record);
  return Object.entries(members).every(
    ([name, value]) => value === undefined || JSON.stringify(own(known, name)) === JSON.stringify(value),
  );
}

/**
 * Inserts an event, unless it is a state that the events around its time say. One that the database lost comes back as it was.
 * @param ahead how far the clock of the database is ahead of that of this machine, in milliseconds
 */
async function applyEvent(
  database: Database<DeskTables>,
  { actor }: FlushContext,
  { id, at, event: line, author }: Extract<OutboxEntry, { readonly kind: 'event' }>,
  ahead: number,
): Promise<Applied> {
  if (author) {
    const lost = { id, at: new Date(at), event: line, actor: author };
    return { kind: (await insertEvents(database.db, [lost])) === 0 ? 'known' : 'added' };
  }
  const time = new Date(Date.parse(at) + ahead);
  const event = eventIn({ ...line, at: time.toISOString() });
  const [origin, device] = [textOf(line.origin) ?? '', textOf(line.device) ?? ''];
  return database.db.transaction().execute(async (transaction) => {
    await database.lock(transaction, historyLock(origin, device));
    const events = (await lastEvents(transaction, origin, [device])).get(device) ?? [];
    const isEarlier = (other: DeviceEvent): boolean => Date.parse(other.at) <= time.getTime();
    const [before, after] = [events.filter(isEarlier), events.filter((other) => !isEarlier(other))];
    const news = event && lateEvent(before, event, after);
    if (!news) return { kind: 'known' };
    await insertEvents(transaction, [{ id, at: time, event: membersOf(news, origin, device), actor }]);
    return { kind: 'added' };
  });
}
