import { sql } from 'kysely';
import type { ReadingsKey } from '../desk/readings.ts';
import { deskSchema } from '../desk/schema.ts';
import type { SharedDesk } from '../desk/shared-desk.ts';
import { Failure } from '../lib/errors.ts';
import type { Reporter } from '../lib/reporter.ts';
import type { HookClaims } from './claims.ts';

/** The parts of a desk that the hooks of a watch use. */
export interface ClaimingDesk {
  readonly name: string;
  /** Returns undefined if the database can't be reached, or if this API key has no account there. */
  key(): Promise<ReadingsKey | undefined>;
  /** Returns undefined if the database can't be reached, or refuses at the moment. */
  readonly use: SharedDesk['use'];
}

/**
 * Returns the claims of all watchers of a desk. While the database can't be reached, each watcher runs its hooks: a
 * duplicate message is better than none at night. If a process dies after it has claimed a run, no other process runs
 * the hook, because it may have run already.
 * @throws Failure `invalidInput` if this user may not claim
 */
export async function deskClaims(desk: ClaimingDesk, reporter: Pick<Reporter, 'warn'>): Promise<HookClaims> {
  const looked = await desk.use(({ db }) =>
    sql<{ may: boolean }>`select has_table_privilege('hook_runs', 'insert') as may`.execute(db),
  );
  if (looked?.value.rows[0]?.may === false)
    throw new Failure('invalidInput', `Your user of ${desk.name} can only read, so it can't run hooks.`, {
      hint: deskSchema.privileges,
    });
  let hasWarned = false;
  return {
    async claim({ hook, change }) {
      const key = await desk.key();
      const claimed =
        key &&
        (await desk.use(({ db }) =>
          db
            .insertInto('hook_runs')
            .values({ ...key, hook, device: change.device.id, change: change.id })
            .onConflict((conflict) =>
              conflict.columns(['origin', 'account', 'hook', 'device', 'change']).doNothing(),
            )
            .returning('change')
            .execute(),
        ));
      if (claimed) hasWarned = false;
      else if (!hasWarned) {
        hasWarned = true;
        reporter.warn(
          `${desk.name} can't be reached, so each watch runs its own hooks now: yours and those of your colleagues.`,
        );
      }
      return claimed ? claimed.value.length > 0 : true;
    },
  };
}
