import { performance } from 'node:perf_hooks';
import type { Kysely } from 'kysely';
import { inputFailure } from '../lib/errors.ts';
import { locks } from './store/locks.ts';
import type { Store, Tables } from './store/tables.ts';

/**
 * The sandbox's time: the machine's, set forward or stopped by `sandbox clock`. Never goes back. What changes it is
 * durable, and throws a `Failure` `invalidInput` for a time that it would have to go back to, or that has no date.
 *
 * Where several processes may serve the rows, all have one time: the database's takes the place of the machine's.
 */
export interface SandboxClock {
  /** As it was found at the last `refresh()`, and has gone on since. */
  now(): Date;
  /**
   * Learns the time, and how others have set it, where there may be others. Each request begins with it.
   * @throws DatabaseError
   */
  refresh(): Promise<void>;
  readonly isFrozen: boolean;
  /** Sets the clock forward; a frozen one stands still at the later moment. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the clock to a time that has not been yet; a frozen one stands still there. */
  set(time: Date): Promise<void>;
  /** Stops the clock. Returns false if it stood still already. */
  freeze(): Promise<boolean>;
  /** Lets the clock go on from the moment that it was frozen at. Returns false if it was running. */
  resume(): Promise<boolean>;
}

/** A clock that can be set back, which only a sandbox does whose rows are gone, or others. */
export interface ResettableClock extends SandboxClock {
  /** The time as it would be if nobody had set it. */
  unset(): Date;
  /** Goes on as the store says by now. */
  reload(): Promise<void>;
}

/** Row of the table `state` that keeps how the clock was set. */
const rowName = 'clock';

/** How a clock was set, in milliseconds. */
interface Setting {
  /** How far it is ahead of the machine's; negative after it was frozen for a while. */
  readonly advanced: number;
  /** The moment that it stands still at, since 1970; undefined while it runs. */
  readonly frozenAt: number | undefined;
}

const unset: Setting = { advanced: 0, frozenAt: undefined };

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
  const databaseTime = new DatabaseTime(timeOfDatabase);
  const startsFrom = machine ?? (isShared ? databaseTime.now : Date.now);
  let setting = unset;
  let latest = 0;
  let last: Promise<unknown> = Promise.resolve();
  let nextRefresh: Promise<void> | undefined;

  const read = async (from: Kysely<Tables>): Promise<void> => {
    const found = await databaseTime.read(from);
    // Others don't set it back either, but for those who have emptied the sandbox.
    if (found.advanced !== setting.advanced || found.frozenAt !== setting.frozenAt) latest = 0;
    setting = found;
  };

  /** What asks the database goes one after the other, so that nothing older comes in the place of what is known. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  const now = (): number => {
    // The machine's clock may be set back; what has happened stays in the past.
    latest = Math.min(Math.max(latest, setting.frozenAt ?? startsFrom() + setting.advanced), lastMoment);
    return latest;
  };

  /** Changes the setting as a function says, which may return undefined for no change. One change waits for another. */
  const change = (wanted: () => Setting | undefined): Promise<boolean> =>
    inTurn(async () => {
      const next = await db.transaction().execute(async (step) => {
        await lock(step, locks.state);
        await read(step);
        const next = wanted();
        if (next === undefined) return undefined;
        const value = JSON.stringify({ advanced: next.advanced, frozen_at: next.frozenAt });
        await step
          .insertInto('state')
          .values({ name: rowName, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute();
        return next;
      });
      if (next === undefined) return false;
      setting = next;
      return true;
    });

  /** Returns the setting of a clock that goes on, or stands still, at a time. */
  const goOnAt = (time: number): Setting => {
    const isAt = `The sandbox's clock is at ${new Date(now()).toISOString()}`;
    if (time < now()) throw inputFailure([`${isAt}, and never goes back.`]);
    if (time > lastMoment) throw inputFailure([`${isAt}, and goes no further than 9999-12-30.`]);
    return setting.frozenAt === undefined
      ? { advanced: time - startsFrom(), frozenAt: undefined }
      : { ...setting, frozenAt: time };
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
      // Those who ask before it begins have one answer.
      nextRefresh ??= inTurn(() => {
        nextRefresh = undefined;
        return read(db);
      });
      await nextRefresh;
    },
    get isFrozen() {
      return setting.frozenAt !== undefined;
    },
    async advance(milliseconds) {
      await change(() => goOnAt(now() + milliseconds));
    },
    async set(time) {
      await change(() => goOnAt(time.getTime()));
    },
    freeze: () =>
      change(() => (setting.frozenAt === undefined ? { ...setting, frozenAt: now() } : undefined)),
    resume: () =>
      change(() =>
        setting.frozenAt === undefined
          ? undefined
          : { advanced: setting.frozenAt - startsFrom(), frozenAt: undefined },
      ),
    unset: () => new Date(startsFrom()),
    reload,
  };
}

/** The time of a database, and how the clock of its sandbox was set, as it said last. */
class DatabaseTime {
  readonly #expression: Store['now'];
  #time = 0;
  #readAt = 0;

  constructor(expression: Store['now']) {
    this.#expression = expression;
  }

  /** Milliseconds since 1970: never more than the database's own, so that no process is ahead of another's next reading. */
  readonly now = (): number => Math.floor(this.#time + performance.now() - this.#readAt);

  async read(from: Kysely<Tables>): Promise<Setting> {
    const { time, value } = await from
      .selectNoFrom(({ selectFrom }) => [
        this.#expression.as('time'),
        selectFrom('state').select('value').where('name', '=', rowName).as('value'),
      ])
      .executeTakeFirstOrThrow();
    this.#time = time;
    this.#readAt = performance.now();
    // SQLite gives the result of an expression as it is stored.
    return value === null ? unset : settingOf(typeof value === 'string' ? JSON.parse(value) : value);
  }
}

function settingOf({ advanced, frozen_at: frozenAt }: Readonly<Record<string, unknown>>): Setting {
  return {
    advanced: typeof advanced === 'number' ? advanced : 0,
    frozenAt: typeof frozenAt === 'number' ? frozenAt : undefined,
  };
}
