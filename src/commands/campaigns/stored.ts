import type {
  CampaignOverview,
  CampaignStore,
  MarkedCampaign,
  StoredCampaign,
} from '../../campaigns/store.ts';
import type { Session } from '../../cli/context.ts';
import type { StoreInput } from '../../cli/store-options.ts';
import { originOf } from '../../settings/base-url.ts';

/**
 * Returns where campaigns are kept.
 * @param isFirst as for `openStore`
 * @throws Failure as `openStore`
 */
export async function storeOf(
  session: Session,
  { database }: StoreInput,
  isFirst = false,
): Promise<CampaignStore> {
  const { openStore } = await import('../../campaigns/open-store.ts');
  return openStore(session, database, isFirst);
}

/** What was typed of a campaign that is to be there. */
interface CampaignInput extends StoreInput {
  readonly campaign: string;
}

/**
 * Returns a campaign with its rows by its name.
 * @throws Failure `notFound`, and as `storeOf` and `CampaignStore.get`
 */
export async function storedCampaign(session: Session, input: CampaignInput): Promise<StoredCampaign> {
  const { noCampaign } = await import('../../campaigns/named.ts');
  const store = await storeOf(session, input);
  const stored = await store.get(originOf(session.api.baseUrl), input.campaign);
  if (!stored) throw noCampaign(input.campaign);
  return stored;
}

/**
 * Returns a campaign and how its rows stand by its name.
 * @throws Failure `notFound`, and as `storeOf` and `CampaignStore.look`
 */
export async function campaignOverview(session: Session, input: CampaignInput): Promise<CampaignOverview> {
  const { noCampaign } = await import('../../campaigns/named.ts');
  const store = await storeOf(session, input);
  const found = await store.look(originOf(session.api.baseUrl), input.campaign);
  if (!found) throw noCampaign(input.campaign);
  return found;
}

/**
 * Returns a campaign and what a person said of it by its name, at once: nobody is waited for, and its rows are not looked at.
 * @throws Failure `notFound`, and as `storeOf` and `CampaignStore.find`
 */
export async function markedCampaign(session: Session, input: CampaignInput): Promise<MarkedCampaign> {
  const { noCampaign } = await import('../../campaigns/named.ts');
  const store = await storeOf(session, input);
  const found = await store.find(originOf(session.api.baseUrl), input.campaign);
  if (!found) throw noCampaign(input.campaign);
  return found;
}
