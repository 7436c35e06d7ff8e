import type { CampaignStore } from '../../campaigns/store/campaign-store.ts';
import type { CampaignOverview, CampaignSummary, MarkedCampaign } from '../../campaigns/store.ts';
import type { IdentityContext } from '../../cli/context.ts';
import type { StoreInput } from '../../cli/store-options.ts';
import { originOf } from '../../settings/base-url.ts';

/** The store of each session: a command has one, and parts of it ask for it. */
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
  // A server that is away may be back at the next call.
  opening.catch(() => opened.delete(session));
  return opening;
}

/** What was typed of a campaign that is to be there. */
interface CampaignInput extends StoreInput {
  readonly campaign: string;
}

/**
 * Returns a campaign and what is to be known of its rows as a whole by its name.
 * @throws Failure `notFound`, and as `storeOf` and `CampaignStore.summarise`
 */
export function campaignSummary(session: IdentityContext, input: CampaignInput): Promise<CampaignSummary> {
  return findRequired(session, input, (store, origin, name) => store.summarise(origin, name));
}

/**
 * Returns a campaign and how its rows stand by its name.
 * @throws Failure `notFound`, and as `storeOf` and `CampaignStore.look`
 */
export function campaignOverview(session: IdentityContext, input: CampaignInput): Promise<CampaignOverview> {
  return findRequired(session, input, (store, origin, name) => store.look(origin, name));
}

/**
 * Returns a campaign and what a person said of it by its name, at once: nobody is waited for, and its rows are not looked at.
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
