import { type Kysely, sql } from 'kysely';
import type { RowStanding } from '../campaign.ts';
import { type ChangedRow, changedRow, type RowChange } from '../row-state.ts';
import { plain, standingColumns, standingOf } from './rows.ts';

/** Changes that are written at a time. */
const changesAtOnce = 5000;

/**
 * Keeps what happens to rows of a campaign, for who holds it. Returns those that it could happen to, as they stand then.
 * @param campaign its id
 */
export async function recordChanges(
  step: Kysely<unknown>,
  campaign: string,
  changes: readonly RowChange[],
): Promise<readonly RowStanding[]> {
  const all: RowStanding[] = [];
  for (let at = 0; at < changes.length; at += changesAtOnce)
    all.push(...(await recordPiece(step, campaign, changes.slice(at, at + changesAtOnce))));
  return all;
}

async function recordPiece(
  step: Kysely<unknown>,
  campaign: string,
  changes: readonly RowChange[],
): Promise<readonly RowStanding[]> {
  const numbers = [...new Set(changes.map(({ row }) => row))];
  const reading = sql`select ${standingColumns} from campaign_rows as r
    where r.campaign = ${campaign}::uuid and r.row = any(${numbers}::integer[]) order by r.row for update`;
  const rows = new Map((await reading.execute(step)).rows.map(standingOf).map((row) => [row.row, row]));
  const changed = new Map<number, ChangedRow<RowStanding>>();
  for (const change of changes) {
    const row = changed.get(change.row) ?? rows.get(change.row);
    const next = row && changedRow(row, change);
    if (next) changed.set(change.row, next);
  }
  const outcomes = [...changed.values()].map(({ row, state, reason, because, at, attempts }) => {
    return { row, state, reason: plain(reason), because: plain(because), at, attempts };
  });
  await sql`update campaign_rows as r set state = o.state, reason = o.reason, because = o.because, at = o.at,
      attempts = o.attempts
    from json_to_recordset(${JSON.stringify(outcomes)}::json) as o(row integer, state text, reason text, because text,
      at text, attempts integer)
    where r.campaign = ${campaign}::uuid and r.row = o.row`.execute(step);
  return [...changed.values()];
}
