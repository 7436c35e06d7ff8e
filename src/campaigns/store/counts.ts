import { sql } from 'kysely';
import { countsOf, type RowCounts, type RowGroups } from '../row-summary.ts';
import type { OpenDatabase } from './database.ts';

/**
 * Counts the rows of campaigns by state and by reason, using indexes only.
 * @returns counts by the ids of the campaigns
 */
export async function countRows(
  { db, isIn }: OpenDatabase,
  campaigns: readonly { readonly id: string; readonly isCancelled: boolean }[],
): Promise<ReadonlyMap<string, RowCounts>> {
  const ids = campaigns.map(({ id }) => id);
  const groups = new Map<string, RowGroups>(ids.map((id) => [id, { states: new Map(), reasons: new Map() }]));
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
  return new Map(
    campaigns.flatMap(({ id, isCancelled }) => {
      const group = groups.get(id);
      return group ? [[id, countsOf(group, isCancelled)] as const] : [];
    }),
  );
}
