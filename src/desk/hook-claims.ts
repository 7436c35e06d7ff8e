import { sql } from 'kysely';
import { Failure } from '../lib/errors.ts';
import type { SharedDesk } from './desk.ts';
import type { ReadingsKey } from './readings.ts';

/** A run of a hook for a change of a device. */
export interface ClaimedRun {
  /** The key of the hook. */
  readonly hook: string;
  readonly device: string;
  /** A UUID. */
  readonly change: string;
}

/** Milliseconds after which a run without a result may be claimed again: its process died. */
const abandonedMs = 120_000;

/**
 * Claims a run, so that of all the watchers of a desk one carries it out. Returns false if another one has it.
 * @param claim a UUID of this watcher
 * @throws Failure `network` if the database is away: without it, another watcher may have the run
 */
export async function claimRun(
  desk: SharedDesk,
  { origin, account }: ReadingsKey,
  { hook, device, change }: ClaimedRun,
  claim: string,
): Promise<boolean> {
  const claimed = await desk.use(({ db }) =>
    db
      .insertInto('hook_runs')
      .values({ origin, account, hook, device, change, claim })
      .onConflict((conflict) =>
        conflict
          .columns(['origin', 'account', 'hook', 'device', 'change'])
          .doUpdateSet({ claim, claimed_at: sql`clock_timestamp()` })
          .where('hook_runs.done_at', 'is', null)
          .where(
            'hook_runs.claimed_at',
            '<',
            sql<Date>`clock_timestamp() - ${abandonedMs} * interval '1 ms'`,
          ),
      )
      .returning('claim')
      .execute(),
  );
  if (claimed) return claimed.value.length > 0;
  throw new Failure('network', `${desk.name} is away, and it says which watcher runs a hook.`);
}

/** Records the result of a run that was claimed here. */
export async function endRun(
  desk: SharedDesk,
  { origin, account }: ReadingsKey,
  { hook, device, change }: ClaimedRun,
  claim: string,
  outcome: string,
): Promise<void> {
  await desk.use(({ db }) =>
    db
      .updateTable('hook_runs')
      .set({ done_at: sql<Date>`clock_timestamp()`, outcome })
      .where('origin', '=', origin)
      .where('account', '=', account)
      .where('hook', '=', hook)
      .where('device', '=', device)
      .where('change', '=', change)
      .where('claim', '=', claim)
      .execute(),
  );
}
