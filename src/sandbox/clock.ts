import type { Store } from './store/store.ts';

/** The sandbox's time: the machine's, set forward by `sandbox clock advance`. Never goes back. */
export interface SandboxClock {
  now(): Date;
  /**
   * Sets the clock forward, durably.
   * @throws RangeError for a span that isn't a positive number
   */
  advance(milliseconds: number): Promise<void>;
}

/** A clock that can be set back to the machine's time, which only a sandbox that is emptied does. */
export interface ResettableClock extends SandboxClock {
  reset(): void;
}

/** Row of the table `state` that keeps how far the clock was advanced. */
const rowName = 'clock';

/**
 * Opens the clock of a store.
 * @param machine the time that it starts from, in milliseconds since 1970
 */
export async function openClock({ db }: Store, machine: () => number): Promise<ResettableClock> {
  const row = await db.selectFrom('state').select('value').where('name', '=', rowName).executeTakeFirst();
  const kept = row?.value.advanced;
  let advanced = typeof kept === 'number' ? kept : 0;
  let latest = 0;
  return {
    now() {
      // The machine's clock may be set back; what has happened stays in the past.
      latest = Math.max(latest, machine() + advanced);
      return new Date(latest);
    },
    async advance(milliseconds) {
      if (!(milliseconds > 0)) throw new RangeError('the clock only goes forward');
      const value = JSON.stringify({ advanced: advanced + milliseconds });
      await db
        .insertInto('state')
        .values({ name: rowName, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
      advanced += milliseconds;
    },
    reset() {
      advanced = 0;
      latest = 0;
    },
  };
}
