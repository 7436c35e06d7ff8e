import { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { CampaignKey } from '../campaign.ts';
import type { CampaignDatabase } from './database.ts';
import { findAgain, lockCampaign } from './find.ts';
import { lockQueue } from './queue-rows.ts';

/** The number of rows that are deleted per transaction. */
const rowsAtOnce = 5000;

/**
 * Deletes a campaign with its rows.
 * @throws Failure `invalidInput` if one of its messages is being sent, and then pauses the campaign; and as
 *   `lockCampaign`
 */
export async function deleteCampaign(database: CampaignDatabase, of: CampaignKey): Promise<void> {
  const { id } = await unpublish(database, of);
  await deleteRows(database, id);
}

/**
 * Deletes the rows of an unpublished campaign in small transactions, and then the campaign. If it turns out to be
 * published, it is left alone: the process that published it may not have received the response.
 */
export async function deleteRows(database: CampaignDatabase, id: string): Promise<void> {
  for (let isMore = true; isMore; ) {
    const { numDeletedRows } = await database.write(({ db }) => {
      const rows = db.selectFrom('campaign_rows').select('row').where('campaign', '=', id);
      const drafts = db.selectFrom('campaigns').select('id').where('draft_at', 'is not', null);
      return db
        .deleteFrom('campaign_rows')
        .where('campaign', '=', id)
        .where('campaign', 'in', drafts)
        .where('row', 'in', rows.orderBy('row').limit(rowsAtOnce))
        .executeTakeFirstOrThrow();
    });
    isMore = numDeletedRows > 0;
  }
  await database.write(({ db }) =>
    db.deleteFrom('campaigns').where('id', '=', id).where('draft_at', 'is not', null).execute(),
  );
}

/** Turns a campaign into a draft that is never published. If this process dies, another one deletes it. */
async function unpublish(database: CampaignDatabase, of: CampaignKey) {
  const { campaign } = await findAgain(database, of);
  const devices = campaign.devices.map(({ id }) => id).toSorted();
  const withdrawn = await database.transaction(async (trx, open) => {
    // Each message locks its device first, and its device has a queue from its first message on. No message is claimed
    // until this transaction ends.
    for (const device of devices) await lockQueue(trx, { origin: of.origin, device });
    const found = await lockCampaign(trx, database, open, of, 'all');
    const inFlight = await trx
      .selectFrom('campaign_rows')
      .innerJoin('lanes', 'lanes.lease', 'campaign_rows.claim')
      .select('row')
      .where('campaign', '=', found.id)
      .where('state', '=', 'sending')
      .where('lease_until', '>', open.now)
      .limit(1)
      .executeTakeFirst();
    const change =
      inFlight === undefined
        ? { mark: 'cancelled' as const, draft_at: open.now }
        : found.mark === undefined && { mark: 'paused' as const };
    if (change) {
      const marked_at = new Date().toISOString();
      await trx
        .updateTable('campaigns')
        .set({ ...change, marked_at })
        .where('id', '=', found.id)
        .execute();
    }
    return inFlight === undefined ? found : undefined;
  });
  if (withdrawn) return withdrawn;
  throw new Failure('invalidInput', `A message of campaign ${inSentence(of.name)} is being sent.`, {
    hint: 'The campaign is now paused. Delete it when its runs have ended.',
  });
}
