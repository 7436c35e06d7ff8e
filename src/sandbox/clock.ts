import { performance } from 'node:perf_hooks';
import type { Kysely } from 'kysely';
import { inputFailure } from '../lib/errors.ts';
import { isObject } from '../lib/json-object.ts';
import { locks } from './store/locks.ts';
import type { Store, Tables } from './store/tables.ts';

/**
 * The sandbox's time: the machine's, set forward by `sandbox clock advance`. It never goes back.
 *
 * If several processes may serve the rows, all use the database's time instead of the machine's.
 */
export interface SandboxClock {
  /** Returns the time as of the last `refresh()`, plus the time elapsed since. */
  now(): Date;
  /**
   * Reads the time, and how other processes have set it, if there may be others. Called at the start of each request.
   * @throws DatabaseError
   */
  refresh(): Promise<void>;
  /**
   * Sets the clock forward, durably.
   * @throws Failure `invalidInput` for a time beyond the range of dates
   */
  advance(milliseconds: number): Promise<void>;
}

/** A clock that can be set back. Only done when the sandbox is emptied. */
export interface ResettableClock extends SandboxClock {
  /** The time without any adjustment of the clock. */
  unset(): Date;
  /** Continues with the setting in the store. */
  reload(): Promise<void>;
}

/** Row of the table `state` with the clock's setting. */
const rowName = 'clock';

/** Maximum milliseconds of one advance: a hundred years. */
export const longestAdvanceMs = 36_600 * 86_400_000;

/**
 * The latest time, at which the clock stops: ISO 8601 has four digits for the year, and a new token must last a day.
 */
const lastMoment = Date.UTC(9999, 11, 31) - 1;

/**
 * Opens the clock of a store.
 * @param machine the time that it starts from, in milliseconds since 1970. By default the database's if other processes
 * may serve it, and otherwise the machine's
 */
export async function openClock(
  { db, isShared, lock, now: timeOfDatabase }: Pick<Store, 'db' | 'isShared' | 'lock' | 'now'>,
  machine?: () => number,
): Promise<ResettableClock> {
  /**
   * The database's time when last read. It lags behind the real one, so that no process is ahead of another's next
   * reading.
   */
  let database = { time: 0, readAt: 0 };
  const databaseTime = (): number => Math.floor(database.time + performance.now() - database.readAt);
  const startsFrom = machine ?? (isShared ? databaseTime : Date.now);
  /** Milliseconds that it is ahead of the machine's. */
  let advanced = 0;
  let latest = 0;
  let last: Promise<unknown> = Promise.resolve();
  let nextRefresh: Promise<void> | undefined;

  const read = async (from: Kysely<Tables>): Promise<void> => {
    const { time, value } = await from
      .selectNoFrom(({ selectFrom }) => [
        timeOfDatabase.as('time'),
        selectFrom('state').select('value').where('name', '=', rowName).as('value'),
      ])
      .executeTakeFirstOrThrow();
    database = { time, readAt: performance.now() };
    // SQLite returns the result of an expression in its stored form.
    const setting: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    const found = isObject(setting) && typeof setting.advanced === 'number' ? setting.advanced : 0;
    // Other processes don't set it back either, except by emptying the sandbox.
    if (found !== advanced) latest = 0;
    advanced = found;
  };

  /** Serializes reads and changes so that a slow reply cannot overwrite a newer one. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  const now = (): number => {
    // The machine's clock may be set back; past events must stay in the past.
    latest = Math.min(Math.max(latest, startsFrom() + advanced), lastMoment);
    return latest;
  };

  const reload = (): Promise<void> =>
    inTurn(async () => {
      await read(db);
      latest = 0;
    });
  await reload();

  return {
    now: () => new Date(now()),
    async refresh() {
      if (!isShared) return;
      // Callers that ask before it starts share one read.
      nextRefresh ??= inTurn(() => {
        nextRefresh = undefined;
        return read(db);
      });
      await nextRefresh;
    },
    advance: (milliseconds) =>
      inTurn(async () => {
        advanced = await db.transaction().execute(async (step) => {
          await lock(step, locks.state);
          await read(step);
          const time = now() + milliseconds;
          if (time > lastMoment) {
            const isAt = `The sandbox's clock is at ${new Date(now()).toISOString()}`;
            throw inputFailure([`${isAt} and can't be advanced beyond 9999-12-30.`]);
          }
          const next = time - startsFrom();
          const value = JSON.stringify({ advanced: next });
          await step
            .insertInto('state')
            .values({ name: rowName, value })
            .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
            .execute();
          return next;
        });
      }),
    unset: () => new Date(startsFrom()),
    reload,
  };
}
