import { sql } from 'kysely';
import type { RowCounts } from '../row-summary.ts';
import type { OpenDatabase } from './database.ts';

/** The rows of a campaign by state, and why those of them are skipped. */
interface Groups {
  readonly states: Map<string, number>;
  readonly reasons: Map<string | null, number>;
  wasBegun: boolean;
}

/**
 * Counts the rows of campaigns, by indexes alone.
 * @returns counts by the ids of the campaigns
 */
export async function countRows(
  { db, isIn }: OpenDatabase,
  campaigns: readonly { readonly id: string; readonly isCancelled: boolean }[],
): Promise<ReadonlyMap<string, RowCounts>> {
  const ids = campaigns.map(({ id }) => id);
  const groups = new Map<string, Groups>(
    ids.map((id) => [id, { states: new Map(), reasons: new Map(), wasBegun: false }]),
  );
  const isCounted = isIn(sql.ref('campaign'), ids);
  const states = await db
    .selectFrom('campaign_rows')
    .select(({ fn }) => ['campaign', 'state', fn.countAll<number>().as('count')])
    .where(isCounted)
    .groupBy(['campaign', 'state'])
    .execute();
  for (const { campaign, state, count } of states) groups.get(campaign)?.states.set(state, Number(count));
  const reasons = await db
    .selectFrom('campaign_rows')
    .select(({ fn }) => ['campaign', 'reason', fn.countAll<number>().as('count')])
    .where(isCounted)
    // SQLite uses the index of these rows only if the state is not a parameter.
    .where('state', '=', sql.lit('skipped'))
    .groupBy(['campaign', 'reason'])
    .execute();
  for (const { campaign, reason, count } of reasons) groups.get(campaign)?.reasons.set(reason, Number(count));
  const begun = await db
    .selectFrom('campaigns')
    .select('id')
    .where(isIn(sql.ref('id'), ids))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('campaign_rows')
          .select(sql.lit(1).as('one'))
          .whereRef('campaign', '=', 'campaigns.id')
          .where('attempts', 'is not', null),
      ),
    )
    .execute();
  for (const { id } of begun) {
    const group = groups.get(id);
    if (group) group.wasBegun = true;
  }
  return new Map(
    campaigns.flatMap(({ id, isCancelled }) => {
      const group = groups.get(id);
      return group ? [[id, countsOf(group, isCancelled)] as const] : [];
    }),
  );
}

function countsOf({ states, reasons, wasBegun }: Groups, isCancelled: boolean): RowCounts {
  const inState = (state: string): number => states.get(state) ?? 0;
  const because = (reason: string): number => reasons.get(reason) ?? 0;
  const planned = inState('planned');
  return {
    rows: [...states.values()].reduce((sum, count) => sum + count, 0),
    planned: isCancelled ? 0 : planned,
    accepted: inState('accepted'),
    rejected: inState('rejected'),
    unknown: inState('unknown'),
    sending: inState('sending'),
    opted_out: because('opted_out'),
    duplicates: because('duplicate') + because('duplicate_key'),
    invalid: because('invalid'),
    cancelled: because('cancelled') + (isCancelled ? planned : 0),
    wasBegun,
  };
}
