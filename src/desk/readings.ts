import { type Kysely, sql } from 'kysely';
import * as z from 'zod/mini';
import type { Database } from '../database/open.ts';
import type { JsonObject } from '../lib/json-object.ts';
import type { Actor } from './actor.ts';
import { mayOnlyRead } from './may-not-write.ts';
import type { DeskTables } from './tables.ts';

/** The devices whose readings the watchers of a desk share: those of one account, which all of its API keys see. */
export interface ReadingsKey {
  readonly origin: string;
  /** A UUID: see `accountOf`. */
  readonly account: string;
}

const shortText = z.string().check(z.maxLength(500));

/** A row of the table `readings`. */
const readingRow = z.object({
  device: shortText,
  status: z.record(z.string(), z.unknown()),
  change: z.uuid(),
  confirmed: z.boolean(),
  read: z.number(),
  age: z.number(),
  interval_ms: z.number(),
  observer: shortText,
  host: shortText,
});

/** A reading that a watcher of the desk has stored. */
export interface SharedReading {
  readonly device: string;
  /** The shared members of a status. `has_code` records that it showed a code. */
  readonly status: JsonObject;
  /** A UUID that identifies the last change of the status. */
  readonly change: string;
  /** Whether another reading had the same status. */
  readonly isConfirmed: boolean;
  /** When it was read, in milliseconds since 1970, by the clock of the database. */
  readonly readAt: number;
  /** The age of the reading in milliseconds. */
  readonly ageMs: number;
  /** The interval between two readings of its watcher, in milliseconds. */
  readonly intervalMs: number;
  readonly observer: string;
  readonly host: string;
}

/** How long a watcher may take to read a device before another one may claim it, in milliseconds. */
const leaseMs = 20_000;

/** How long after a change another reading confirms it, in milliseconds. */
const confirmMs = 2000;

/** How often missing rows are inserted again, in milliseconds. */
const checkRowsMs = 10_000;

/**
 * How far before the newest reading `news` searches, in milliseconds: the times of readings do not follow the order of
 * commits.
 */
const overlapMs = 5000;

/** The result of reading a claimed device. */
export interface ReadResult {
  readonly device: string;
  /** Undefined if the watcher could not read it. Another watcher may then read it. */
  readonly status: JsonObject | undefined;
}

export interface ReaderOptions {
  readonly actor: Actor;
  /** A UUID of this watch process. */
  readonly watcher: string;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** The readings of the devices that a watch follows; none until `follow` is called. */
export class SharedReadings {
  readonly #key: ReadingsKey;
  readonly #actor: Actor;
  readonly #watcher: string;
  readonly #now: () => number;
  #devices: readonly string[] = [];
  #intervalMs = 0;
  /** The time of the newest reading that was returned, in milliseconds since 1970. */
  #newest = 0;
  readonly #seen = new Map<string, number>();
  /** When to insert missing rows again: the database may have been restored to an earlier state. */
  #checkRowsAt = Number.NEGATIVE_INFINITY;

  constructor(key: ReadingsKey, { actor, watcher, now }: ReaderOptions) {
    this.#key = key;
    this.#actor = actor;
    this.#watcher = watcher;
    this.#now = now;
  }

  /**
   * Sets the devices and the interval in milliseconds. The next call of `news` returns the last reading of each newly
   * added device.
   * @param devices ids
   */
  follow(devices: readonly string[], intervalMs: number): void {
    const known = new Set(this.#devices);
    const added = devices.filter((id) => !known.has(id));
    this.#devices = devices;
    this.#intervalMs = intervalMs;
    if (added.length === 0) return;
    for (const id of added) this.#seen.delete(id);
    this.#checkRowsAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Claims devices whose reading is due. Another watcher can't claim them until the result is stored or the lease ends.
   * A device is also due if its last reading is older than this watcher's interval, even if the watcher that read it
   * uses a longer one.
   * @param except devices that this watcher just failed to read
   * @returns ids; undefined if this user may only read
   * @throws DatabaseError also if the server accepts no writes at the moment
   */
  async claim(
    { db }: Database<DeskTables>,
    most: number,
    except: ReadonlySet<string>,
  ): Promise<readonly string[] | undefined> {
    const { origin, account } = this.#key;
    const devices = this.#devices.filter((device) => !except.has(device));
    if (most <= 0 || devices.length === 0) return [];
    try {
      if (this.#now() >= this.#checkRowsAt) await this.#insertRows(db);
      const due = db
        .selectFrom('readings')
        .select('device')
        .where('origin', '=', origin)
        .where('account', '=', account)
        .where('device', '=', sql<string>`any(${devices})`)
        .where((row) =>
          row.or([
            row('due_at', '<=', after(0)),
            row.and([row('lease', 'is', null), row('read_at', '<=', after(-this.#intervalMs))]),
            // The clock of the server was set back, or the database was restored on another server.
            row.and([row('lease', 'is', null), row('read_at', '>', after(1000))]),
            row('due_at', '>', sql<Date>`${after(leaseMs)} + coalesce(interval_ms, 0) * interval '1 ms'`),
          ]),
        )
        .orderBy('due_at')
        .limit(most)
        .forUpdate()
        .skipLocked();
      const rows = await db
        .updateTable('readings')
        .set({ lease: this.#watcher, due_at: after(leaseMs) })
        .where('origin', '=', origin)
        .where('account', '=', account)
        .where('device', 'in', due)
        .returning('device')
        .execute();
      return rows.map(({ device }) => device);
    } catch (error) {
      if (await mayOnlyRead(error, db)) return undefined;
      throw error;
    }
  }

  async #insertRows(db: Kysely<DeskTables>): Promise<void> {
    const { origin, account } = this.#key;
    const all = sql<{ device: string }>`(select unnest(${this.#devices}::text[]) as device)`;
    await db
      .insertInto('readings')
      .columns(['origin', 'account', 'device', 'due_at'])
      .expression(
        db
          .selectFrom(all.as('wanted'))
          .select([
            sql<string>`${origin}::text`.as('origin'),
            sql<string>`${account}::uuid`.as('account'),
            'wanted.device',
            sql<Date>`clock_timestamp()`.as('due_at'),
          ]),
      )
      .onConflict((conflict) => conflict.columns(['origin', 'account', 'device']).doNothing())
      .execute();
    this.#checkRowsAt = this.#now() + checkRowsMs;
  }

  /**
   * Stores the result of a claimed reading. Returns false if the lease has ended: the status may then be outdated, for
   * example because the machine slept, and another watcher may have read a newer one.
   * @throws DatabaseError
   */
  async store({ db }: Database<DeskTables>, { device, status }: ReadResult): Promise<boolean> {
    const { origin, account } = this.#key;
    const row = db
      .updateTable('readings')
      .where('origin', '=', origin)
      .where('account', '=', account)
      .where('device', '=', device)
      .where('lease', '=', this.#watcher);
    if (status === undefined) {
      const { numUpdatedRows } = await row.set({ lease: null, due_at: after(0) }).executeTakeFirst();
      return numUpdatedRows > 0n;
    }
    const text = JSON.stringify(status);
    const isSame = sql<boolean>`status is not distinct from ${text}::jsonb`;
    const isFirst = sql<boolean>`status is null`;
    const { numUpdatedRows } = await row
      .where('due_at', '>', after(0))
      .set({
        status: text,
        read_at: sql<Date>`clock_timestamp()`,
        change: sql<string>`case when ${isSame} then change else gen_random_uuid() end`,
        // The first status of a device is not a change.
        confirmed: sql<boolean>`${isSame} or ${isFirst}`,
        observer: this.#actor.by,
        host: this.#actor.host,
        due_at: sql<Date>`case when ${isSame} or ${isFirst} then ${after(this.#intervalMs)} else ${after(confirmMs)} end`,
        lease: null,
        interval_ms: Math.round(this.#intervalMs),
      })
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /**
   * Returns the readings that were stored since the last call. The first call returns the last reading of each device.
   * @throws DatabaseError
   */
  async news({ db }: Database<DeskTables>): Promise<readonly SharedReading[]> {
    const { origin, account } = this.#key;
    const read = sql<number>`cast(extract(epoch from read_at) * 1000 as bigint)`;
    const age = sql<number>`cast(extract(epoch from clock_timestamp() - read_at) * 1000 as bigint)`;
    const rows = await db
      .selectFrom('readings')
      .select(['device', 'status', 'change', 'confirmed', 'interval_ms', 'observer', 'host'])
      .select([read.as('read'), age.as('age')])
      .where('origin', '=', origin)
      .where('account', '=', account)
      .where('device', '=', sql<string>`any(${this.#devices})`)
      .where((row) =>
        row.or([
          row(
            'read_at',
            '>',
            sql<Date>`least(${new Date(this.#newest)}, clock_timestamp()) - ${overlapMs} * interval '1 ms'`,
          ),
          row('device', '=', sql<string>`any(${this.#devices.filter((id) => !this.#seen.has(id))})`),
        ]),
      )
      // The age of a reading with a future time is unknown.
      .where('read_at', '<=', after(0))
      .execute();
    return rows.flatMap((row) => {
      const seen = this.#seen.get(row.device);
      // An older reading comes from an earlier state of the database. A last seen time in the future is ignored.
      if (seen !== undefined && row.read <= seen && seen <= row.read + row.age) return [];
      const parsed = z.safeParse(readingRow, row);
      if (!parsed.success) return [];
      const {
        read: readAt,
        age: ageMs,
        interval_ms: intervalMs,
        confirmed: isConfirmed,
        ...rest
      } = parsed.data;
      this.#newest = Math.max(this.#newest, readAt);
      this.#seen.set(rest.device, readAt);
      return [{ ...rest, readAt, ageMs, intervalMs, isConfirmed }];
    });
  }
}

/** Returns the time of the database after this many milliseconds. */
function after(milliseconds: number) {
  return sql<Date>`clock_timestamp() + ${Math.round(milliseconds)} * interval '1 ms'`;
}
