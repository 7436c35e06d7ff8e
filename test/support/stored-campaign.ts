import type { Campaign, CampaignRow, Mark } from '../../src/campaigns/campaign.ts';
import { completeDraft } from '../../src/campaigns/draft-list.ts';
import type { CampaignStore } from '../../src/campaigns/store/campaign-store.ts';
import { rowsAtOnce } from '../../src/campaigns/store.ts';
import { collect, inChunks } from '../../src/lib/iterables.ts';

/** A campaign with all its rows. */
export interface StoredCampaign {
  readonly campaign: Campaign;
  readonly rows: readonly CampaignRow[];
  readonly mark?: Mark | undefined;
}

/** Stores a campaign with existing rows. */
export async function createCampaign(
  store: CampaignStore,
  { campaign, rows }: { readonly campaign: Campaign; readonly rows: Iterable<CampaignRow> },
): Promise<void> {
  const draft = await store.draft(campaign);
  await completeDraft(draft, async () => {
    for (const some of inChunks(rows, rowsAtOnce)) await draft.write(some);
    return true;
  });
}

/** Returns a campaign with its rows, or undefined if there is none. */
export async function storedCampaign(
  store: CampaignStore,
  origin: string,
  name: string,
): Promise<StoredCampaign | undefined> {
  const found = await store.find(origin, name);
  if (!found) return undefined;
  const { campaign, mark } = found;
  return { campaign, rows: (await collect(store.rows(campaign))).flat(), ...(mark && { mark }) };
}
