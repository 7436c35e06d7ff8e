import { sql } from 'kysely';
import type { CampaignKey, RowStatus } from '../campaign.ts';
import { type RowChange, stateAfter } from '../row-state.ts';
import type { CampaignDatabase, CampaignTransaction, OpenDatabase } from './database.ts';
import { lockCampaign } from './find.ts';
import { rowStatusOf, storableText } from './rows.ts';

/** The number of changes that are written per transaction. */
const changesAtOnce = 5000;

/**
 * Changes the states of rows if their current states allow it. Returns the changed rows.
 * @throws Failure as `lockCampaign`
 */
export async function recordChanges(
  database: CampaignDatabase,
  of: CampaignKey,
  changes: readonly RowChange[],
): Promise<readonly RowStatus[]> {
  const changed: RowStatus[] = [];
  for (let at = 0; at === 0 || at < changes.length; at += changesAtOnce) {
    const some = changes.slice(at, at + changesAtOnce);
    const rows = await database.transaction(async (trx, open) => {
      const { id } = await lockCampaign(trx, database, open, of, 'deletion');
      return recordSome(trx, open, id, some);
    });
    changed.push(...rows);
  }
  return changed;
}

async function recordSome(
  trx: CampaignTransaction,
  { isIn }: OpenDatabase,
  campaign: string,
  changes: readonly RowChange[],
): Promise<readonly RowStatus[]> {
  const numbers = [...new Set(changes.map(({ row }) => row))];
  const found = await trx
    .selectFrom('campaign_rows')
    .select(['row', 'device', 'state', 'attempts'])
    .where('campaign', '=', campaign)
    .where(isIn(sql.ref('row'), numbers))
    .orderBy('row')
    .forUpdate()
    .execute();
  const rows = new Map(found.map((row) => [row.row, rowStatusOf(row)]));
  const changed = new Map<number, RowStatus>();
  for (const change of changes) {
    const row = changed.get(change.row) ?? rows.get(change.row);
    const next = row && changedRow(row, change);
    if (!next) continue;
    const { state, attempts } = next;
    const { at, reason, because } = change;
    await trx
      .updateTable('campaign_rows')
      .set({ state, at, attempts, reason: storableText(reason), because: storableText(because) })
      .where('campaign', '=', campaign)
      .where('row', '=', change.row)
      .execute();
    changed.set(change.row, next);
  }
  return [...changed.values()];
}

/** Returns a row after a change, or undefined if the change is not possible. */
function changedRow(row: RowStatus, { event, attempts: expected }: RowChange): RowStatus | undefined {
  const state = stateAfter(row.state, event);
  const { attempts = 0 } = row;
  if (state === undefined || (expected !== undefined && expected !== attempts)) return undefined;
  return { ...row, state, attempts: attempts + (event === 'claim' ? 1 : event === 'return' ? -1 : 0) };
}
