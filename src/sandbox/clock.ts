import { performance } from 'node:perf_hooks';
import type { Kysely } from 'kysely';
import { inputFailure } from '../lib/errors.ts';
import { isObject } from '../lib/json-object.ts';
import { locks } from './store/locks.ts';
import type { Store, Tables } from './store/tables.ts';

/**
 * The sandbox's time: the machine's, set forward by `sandbox clock advance`. It never goes back.
 *
 * Where several processes may serve the rows, all have one time: the database's takes the place of the machine's.
 */
export interface SandboxClock {
  /** As it was found at the last `refresh()`, and has gone on since. */
  now(): Date;
  /**
   * Reads the time, and how other processes have set it, if there may be others. Each request begins with it.
   * @throws DatabaseError
   */
  refresh(): Promise<void>;
  /**
   * Sets the clock forward, durably.
   * @throws Failure `invalidInput` for a time that has no date
   */
  advance(milliseconds: number): Promise<void>;
}

/** A clock that can be set back, which only a sandbox does whose rows are gone, or others. */
export interface ResettableClock extends SandboxClock {
  /** The time without any adjustment of the clock. */
  unset(): Date;
  /** Goes on as the store says by now. */
  reload(): Promise<void>;
}

/** Row of the table `state` that keeps how the clock was set. */
const rowName = 'clock';

/** The furthest that the clock is set forward at once, a hundred years, in milliseconds. */
export const longestAdvanceMs = 36_600 * 86_400_000;

/** Where the clock stands still: ISO 8601 writes a year with four digits, and a token made now has its day to last. */
const lastMoment = Date.UTC(9999, 11, 31) - 1;

/**
 * Opens the clock of a store.
 * @param machine the time that it starts from, in milliseconds since 1970. If not given it is the database's where other
 *   processes may serve it, and otherwise the machine's
 */
export async function openClock(
  { db, isShared, lock, now: timeOfDatabase }: Pick<Store, 'db' | 'isShared' | 'lock' | 'now'>,
  machine?: () => number,
): Promise<ResettableClock> {
  /** The time of the database, as it said last: never more than its own, so that no process is ahead of another's next reading. */
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
    // SQLite gives the result of an expression as it is stored.
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
    // The machine's clock may be set back; what has happened stays in the past.
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
      // Callers that ask before it begins share one reply.
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
