import type { CampaignOverview, CampaignStore, StoredCampaign } from '../../campaigns/store.ts';
import type { Session } from '../../cli/context.ts';
import { originOf } from '../../settings/base-url.ts';

/** Returns where campaigns are kept. */
export async function storeOf({
  settings,
  signal,
}: Pick<Session, 'settings' | 'signal'>): Promise<CampaignStore> {
  const { createFileStore } = await import('../../campaigns/files/file-store.ts');
  return createFileStore(settings.paths.data, signal);
}

/**
 * Returns a campaign with its rows by its name.
 * @throws Failure `notFound`, and as `CampaignStore.get`
 */
export async function storedCampaign(session: Session, name: string): Promise<StoredCampaign> {
  const { noCampaign } = await import('../../campaigns/named.ts');
  const stored = await (await storeOf(session)).get(originOf(session.api.baseUrl), name);
  if (!stored) throw noCampaign(name);
  return stored;
}

/**
 * Returns a campaign and how its rows stand by its name.
 * @throws Failure `notFound`, and as `CampaignStore.look`
 */
export async function campaignOverview(session: Session, name: string): Promise<CampaignOverview> {
  const { noCampaign } = await import('../../campaigns/named.ts');
  const found = await (await storeOf(session)).look(originOf(session.api.baseUrl), name);
  if (!found) throw noCampaign(name);
  return found;
}
