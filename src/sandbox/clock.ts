import type { Store } from './store/store.ts';

/**
 * The sandbox's time: the machine's, set forward or stopped by `sandbox clock`. Never goes back. What changes it is
 * durable, and throws `ClockRefused` for a time that it would have to go back to, or that has no date.
 */
export interface SandboxClock {
  now(): Date;
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

/** The clock can't be set like that; the message says why, with its time. */
export class ClockRefused extends Error {
  override readonly name = 'ClockRefused';
}

/** A clock that can be set back, which only a sandbox does whose rows are gone, or others. */
export interface ResettableClock extends SandboxClock {
  reset(): void;
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
 * @param machine the time that it starts from, in milliseconds since 1970
 */
export async function openClock({ db }: Store, machine: () => number): Promise<ResettableClock> {
  const stored = async (): Promise<Setting> => {
    const row = await db.selectFrom('state').select('value').where('name', '=', rowName).executeTakeFirst();
    return row ? settingOf(row.value) : unset;
  };
  let setting = await stored();
  let latest = 0;
  let changing: Promise<unknown> = Promise.resolve();

  const now = (): number => {
    // The machine's clock may be set back; what has happened stays in the past.
    latest = Math.min(Math.max(latest, setting.frozenAt ?? machine() + setting.advanced), lastMoment);
    return latest;
  };

  /** Changes the setting as a function says, which may return undefined for no change. One change waits for another. */
  const change = (wanted: () => Setting | undefined): Promise<boolean> => {
    const changed = changing.then(async () => {
      const next = wanted();
      if (next === undefined) return false;
      const value = JSON.stringify({ advanced: next.advanced, frozen_at: next.frozenAt });
      await db
        .insertInto('state')
        .values({ name: rowName, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
      setting = next;
      return true;
    });
    changing = changed.catch(() => undefined);
    return changed;
  };

  /** Returns the setting of a clock that goes on, or stands still, at a time. */
  const goOnAt = (time: number): Setting => {
    const isAt = `The sandbox's clock is at ${new Date(now()).toISOString()}`;
    if (time < now()) throw new ClockRefused(`${isAt}, and never goes back.`);
    if (time > lastMoment) throw new ClockRefused(`${isAt}, and goes no further than 9999-12-30.`);
    return setting.frozenAt === undefined
      ? { advanced: time - machine(), frozenAt: undefined }
      : { ...setting, frozenAt: time };
  };

  return {
    now: () => new Date(now()),
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
          : { advanced: setting.frozenAt - machine(), frozenAt: undefined },
      ),
    reset() {
      setting = unset;
      latest = 0;
    },
    async reload() {
      setting = await stored();
      latest = 0;
    },
  };
}

function settingOf({ advanced, frozen_at: frozenAt }: Readonly<Record<string, unknown>>): Setting {
  return {
    advanced: typeof advanced === 'number' ? advanced : 0,
    frozenAt: typeof frozenAt === 'number' ? frozenAt : undefined,
  };
}
