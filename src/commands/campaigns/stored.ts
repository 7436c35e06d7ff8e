import type { CampaignStore } from '../../campaigns/store/campaign-store.ts';
import type { CampaignOverview, CampaignSummary, MarkedCampaign } from '../../campaigns/store.ts';
import type { IdentityContext } from '../../cli/context.ts';
import type { StoreInput } from '../../cli/store-options.ts';
import { originOf } from '../../settings/base-url.ts';

/** The store of each session, opened once. */
const opened = new WeakMap<IdentityContext, Promise<CampaignStore>>();

/**
 * Returns the store of campaigns.
 * @param isFirst as for `openStore`
 * @throws Failure as `openStore`
 */
export function storeOf(
  session: IdentityContext,
  { database }: StoreInput,
  isFirst = false,
): Promise<CampaignStore> {
  const known = opened.get(session);
  if (known) return known;
  const opening = import('../../campaigns/open-store.ts').then(({ openStore }) =>
    openStore(session, database, isFirst),
  );
  opened.set(session, opening);
  // A server that is away may be back at the next call, so failures are not cached.
  opening.catch(() => opened.delete(session));
  return opening;
}

interface CampaignInput extends StoreInput {
  readonly campaign: string;
}

/**
 * Finds a campaign by its name, with a summary of its rows.
 * @throws Failure `notFound`, and as `storeOf` and `CampaignStore.summarise`
 */
export function campaignSummary(session: IdentityContext, input: CampaignInput): Promise<CampaignSummary> {
  return findRequired(session, input, (store, origin, name) => store.summarise(origin, name));
}

/**
 * Finds a campaign by its name, with the states of its rows.
 * @throws Failure `notFound`, and as `storeOf` and `CampaignStore.look`
 */
export function campaignOverview(session: IdentityContext, input: CampaignInput): Promise<CampaignOverview> {
  return findRequired(session, input, (store, origin, name) => store.look(origin, name));
}

/**
 * Finds a campaign by its name, with its mark. It waits for no lock and reads no rows.
 * @throws Failure `notFound`, and as `storeOf` and `CampaignStore.find`
 */
export function markedCampaign(session: IdentityContext, input: CampaignInput): Promise<MarkedCampaign> {
  return findRequired(session, input, (store, origin, name) => store.find(origin, name));
}

async function findRequired<T>(
  session: IdentityContext,
  input: CampaignInput,
  find: (store: CampaignStore, origin: string, name: string) => Promise<T | undefined>,
): Promise<T> {
  const { noCampaignFailure } = await import('../../campaigns/campaign-failures.ts');
  const store = await storeOf(session, input);
  const found = await find(store, originOf(session.identity.baseUrl), input.campaign);
  if (!found) throw noCampaignFailure(input.campaign);
  return found;
}
