import { randomUUID } from 'node:crypto';
import { Failure } from '../lib/errors.ts';
import type { Reporter } from '../lib/reporter.ts';
import { relativeTime } from '../lib/time.ts';
import { originOf } from '../settings/base-url.ts';
import { clockAhead } from './clock-ahead.ts';
import type { DeviceHistory } from './device-history.ts';
import {
  commandIn,
  type DeviceEvent,
  type EventOfDevice,
  type HistoryQuery,
  membersOf,
  type NewEvent,
} from './device-history-lines.ts';
import { HistoryCopy } from './history-copy.ts';
import { historyLock, lastEvents, type PageStart, readEvents } from './history-rows.ts';
import { insertEvents } from './insert-rows.ts';
import { mayNotWrite } from './may-not-write.ts';
import { missingDevices } from './missing-devices.ts';
import { missingEvents } from './missing-events.ts';
import type { SharedDesk } from './shared-desk.ts';

/** The number of rows per page. Usually only the first page is read. */
const pageSizes = { first: 200, later: 2000 };

/** How long the offset between the clocks of the database and this machine is cached, in milliseconds. */
const offsetMs = 60_000;

/** How long events that were read for many devices at once are used, in milliseconds. */
const preloadedMs = 5000;

/** Copies whose ages differ by less than this many milliseconds count as equally old. */
const sameAgeMs = 60_000;

/**
 * The number of last events of a device that a process caches. Of earlier events, it caches the last one of each kind.
 */
const maxCached = 20;

/** Dependencies of a shared history. */
export interface SharedHistoryOptions {
  readonly baseUrl: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly reporter: Pick<Reporter, 'note' | 'warn'>;
}

type EventAfter = Parameters<DeviceHistory['note']>[1];

/**
 * Opens the history that the machines of a desk share. While the database is away, reads return what this machine last
 * saw, and events wait in the outbox. Times are those of the database's clock.
 */
export function sharedHistory(
  desk: Pick<SharedDesk, 'name' | 'copy' | 'directory' | 'actor' | 'use' | 'later' | 'outbox'>,
  { baseUrl, now, signal, reporter }: SharedHistoryOptions,
): Omit<DeviceHistory, 'actor'> {
  const origin = originOf(baseUrl);
  const copy = new HistoryCopy(desk.directory, origin);
  const missing = missingDevices(desk.directory, baseUrl, signal);
  // A watch notes every reading of each device, and most change nothing. The events of a device are read from the
  // database only once.
  const cache = new Map<string, readonly DeviceEvent[]>();
  /** Events that were read for many devices at once. The first read of each device uses them. */
  const preloaded = new Map<string, { readonly events: readonly DeviceEvent[]; readonly at: number }>();
  let offset: { readonly ms: number; readonly until: number } | undefined;
  let hasReportedAge = false;
  let hasWarned = false;
  let hasReportedRestore = false;
  let hasReportedDrop = false;

  /** Adds events that the database lost to the outbox. Returns their number; undefined if that fails. */
  const bringBack = async (id: string, events: readonly DeviceEvent[]): Promise<number | undefined> => {
    const found = await desk.use(({ db }) => missingEvents(db, copy.events(id), events));
    if (!found) return undefined;
    if (found.value.length === 0) return 0;
    if (!hasReportedRestore)
      reporter.warn(`${desk.name} was restored from a backup. This machine adds the missing events again.`);
    hasReportedRestore = true;
    const unknown = 'unknown';
    const isStored = await desk.later(
      ...found.value.map((event) => ({
        kind: 'event' as const,
        ...{ id: event.id, at: event.at, event: membersOf(event, origin, id) },
        author: { by: event.by ?? unknown, host: event.from ?? unknown },
      })),
    );
    return isStored ? found.value.length : undefined;
  };
  /** Returns true if the database lost some of the events. The next use of the desk restores them. */
  const cacheEvents = async (
    id: string,
    events: readonly DeviceEvent[],
    isRead: boolean,
  ): Promise<boolean> => {
    cache.set(id, condensed(events));
    preloaded.delete(id);
    const lost = isRead ? await bringBack(id, events) : undefined;
    if (lost !== undefined) copy.store(id, events, now());
    return lost !== undefined && lost > 0;
  };
  const load = async (id: string): Promise<readonly DeviceEvent[]> => {
    const read = await desk.use(({ db }) => lastEvents(db, origin, [id]));
    const events = read?.value.get(id) ?? copy.events(id);
    await cacheEvents(id, events, read !== undefined);
    return events;
  };
  /** Returns the time of the database from the cached offset. */
  const databaseTime = async (): Promise<number> => {
    if (offset === undefined || now() > offset.until) {
      const ahead = await desk.use((database) => clockAhead(database, now));
      offset = { ms: ahead?.value ?? offset?.ms ?? 0, until: now() + offsetMs };
    }
    return now() + offset.ms;
  };
  const reportAge = (query: HistoryQuery): void => {
    if (hasReportedAge) return;
    hasReportedAge = true;
    const at = copy.readAt(query);
    // The warning that the database is away includes the age of the device book. If both ages are about the same, one
    // is enough.
    const bookAt = desk.copy.copiedAt() ?? 0;
    if (at !== undefined && at > bookAt - sameAgeMs) return;
    reporter.note(
      at === undefined
        ? 'This machine has no copy of that history. Events that other machines recorded are missing.'
        : `The copy of this history is from ${relativeTime(at, now())}. Later events of other machines are missing.`,
    );
  };

  const insert = async (id: string, eventAfter: EventAfter): Promise<void> => {
    const eventId = randomUUID();
    let waiting = eventAfter(cache.get(id) ?? []);
    const write = desk.use((database) =>
      database.db.transaction().execute(async (transaction) => {
        // If two machines see the same loss, it is recorded once.
        await database.lock(transaction, historyLock(origin, id));
        const sofar = (await lastEvents(transaction, origin, [id])).get(id) ?? [];
        waiting = eventAfter(sofar);
        if (!waiting) return sofar;
        const event = membersOf(waiting, origin, id);
        await insertEvents(transaction, [{ id: eventId, at: undefined, event, actor: desk.actor }]);
        return (await lastEvents(transaction, origin, [id])).get(id) ?? [];
      }),
    );
    // The event of an interrupted command is recorded too.
    const done = await write.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (done) return void (await cacheEvents(id, done.value, true));
    if (!waiting) return;
    const { by, host } = desk.actor;
    const at = new Date(now() + (offset?.ms ?? 0)).toISOString();
    const event = { ...waiting, at, id: eventId, by, from: host };
    await cacheEvents(id, [...(cache.get(id) ?? []), event], false);
    const { at: seenAt } = waiting;
    const entry = { kind: 'event', id: eventId, at: seenAt, event: membersOf(waiting, origin, id) } as const;
    if (await desk.later(entry)) return copy.add(id, event);
    if (!hasReportedDrop)
      reporter.warn(
        `An event of the history is lost: ${desk.name} is away, and ${desk.outbox.file} can't be written.`,
      );
    hasReportedDrop = true;
  };

  return {
    now: databaseTime,
    async list(id) {
      const early = preloaded.get(id);
      preloaded.delete(id);
      const events = early && now() - early.at < preloadedMs ? early.events : await load(id);
      const gone = await missing.event(id);
      return gone ? [...events, gone] : events;
    },
    async preload(ids) {
      const unread = ids.filter((id) => !cache.has(id));
      if (unread.length < 2) return;
      try {
        const read = await desk.use(({ db }) => lastEvents(db, origin, unread));
        for (const [id, events] of read?.value ?? []) {
          await cacheEvents(id, events, true);
          preloaded.set(id, { events, at: now() });
        }
      } catch (error) {
        // The read of each single device reports the problem.
        if (!(error instanceof Failure) || error.isInterruption) throw error;
      }
    },
    async *recent(query) {
      if (query.ids?.length === 0) return;
      let start: PageStart | undefined;
      do {
        const size = start ? pageSizes.later : pageSizes.first;
        const page = { start, size };
        const readPage = () => desk.use(({ db }) => readEvents(db, origin, query, page));
        let read = await readPage();
        const [only, ...others] = query.ids ?? [];
        const isOfOne = only !== undefined && others.length === 0 && !start && query.since === undefined;
        // The user may want to see the same history while the database is away, so it is cached.
        if (read && isOfOne && (await cacheEvents(only, read.value.events.toReversed(), true)))
          read = await readPage();
        if (!read) {
          reportAge(query);
          const rest = copy.recent(query).filter((event) => isAfter(event, start));
          if (rest.length > 0) yield rest;
          return;
        }
        const { events, next } = read.value;
        if (events.length > 0) yield events;
        start = next;
      } while (start);
    },
    async note(id, eventAfter) {
      const gone = await missing.event(id);
      let known: readonly DeviceEvent[] = [];
      let event: NewEvent | undefined;
      try {
        known = cache.get(id) ?? (await load(id));
        event = eventAfter(gone ? [...known, gone] : known);
        if (!event) return;
        if (event.event === 'not_found') return await missing.add(id, event);
        if (gone && commandIn(event) === undefined) await missing.remove(id);
        if (gone && !eventAfter(known)) return;
        await insert(id, eventAfter);
      } catch (error) {
        // Nothing depends on an event, and a user who may only read records none.
        if (event) cache.set(id, [...known, event]);
        if (mayNotWrite(error)) {
          if (event && commandIn(event) !== undefined)
            reporter.note(
              `Your database user can only read, so ${desk.name} has no record of this ${event.event}.`,
            );
          return;
        }
        if (!(error instanceof Failure) || error.isInterruption) throw error;
        if (!hasWarned) reporter.warn(`Events are not recorded in ${desk.name}: ${error.message}`);
        hasWarned = true;
      }
    },
    async forget(id) {
      await missing.remove(id);
      return 'shared';
    },
  };
}

function isAfter(event: EventOfDevice, start: PageStart | undefined): boolean {
  return start === undefined || Date.parse(event.at) < start.at.getTime();
}

/**
 * Returns the last events, and of earlier ones the last of each kind: these decide whether a reading is a new event.
 */
function condensed(events: readonly DeviceEvent[]): readonly DeviceEvent[] {
  const last = new Map<string, DeviceEvent>();
  for (const event of events.slice(0, -maxCached)) {
    // A map keeps the order of the first insertions.
    last.delete(event.event);
    last.set(event.event, event);
  }
  return [...last.values(), ...events.slice(-maxCached)];
}
