import { sql } from 'kysely';
import type { CampaignKey, RowStanding } from '../campaign.ts';
import { type RowChange, stateAfter } from '../row-state.ts';
import type { CampaignDatabase, OpenDatabase, Step } from './database.ts';
import { lockCampaign } from './find.ts';
import { plain, standingOf } from './rows.ts';

/** Changes that are written in a transaction. */
const changesAtOnce = 5000;

/**
 * Changes the states of rows, as far as their states allow. Returns the changed rows.
 * @throws Failure as `lockCampaign`
 */
export async function recordChanges(
  database: CampaignDatabase,
  of: CampaignKey,
  changes: readonly RowChange[],
): Promise<readonly RowStanding[]> {
  const changed: RowStanding[] = [];
  for (let at = 0; at === 0 || at < changes.length; at += changesAtOnce) {
    const some = changes.slice(at, at + changesAtOnce);
    const rows = await database.transaction(async (step, open) => {
      const { id } = await lockCampaign(step, database, open, of, 'deletion');
      return recordSome(step, open, id, some);
    });
    changed.push(...rows);
  }
  return changed;
}

async function recordSome(
  step: Step,
  { isIn }: OpenDatabase,
  campaign: string,
  changes: readonly RowChange[],
): Promise<readonly RowStanding[]> {
  const numbers = [...new Set(changes.map(({ row }) => row))];
  const found = await step
    .selectFrom('campaign_rows')
    .select(['row', 'device', 'state', 'attempts'])
    .where('campaign', '=', campaign)
    .where(isIn(sql.ref('row'), numbers))
    .orderBy('row')
    .forUpdate()
    .execute();
  const rows = new Map(found.map((row) => [row.row, standingOf(row)]));
  const changed = new Map<number, RowStanding>();
  for (const change of changes) {
    const row = changed.get(change.row) ?? rows.get(change.row);
    const next = row && changedRow(row, change);
    if (!next) continue;
    const { state, attempts } = next;
    const { at, reason, because } = change;
    await step
      .updateTable('campaign_rows')
      .set({ state, at, attempts, reason: plain(reason), because: plain(because) })
      .where('campaign', '=', campaign)
      .where('row', '=', change.row)
      .execute();
    changed.set(change.row, next);
  }
  return [...changed.values()];
}

/** Returns a row after a change, or undefined if that can't happen to the row. */
function changedRow(row: RowStanding, { event, attempts: expected }: RowChange): RowStanding | undefined {
  const state = stateAfter(row.state, event);
  const { attempts = 0 } = row;
  if (state === undefined || (expected !== undefined && expected !== attempts)) return undefined;
  return { ...row, state, attempts: attempts + (event === 'claim' ? 1 : event === 'return' ? -1 : 0) };
}
