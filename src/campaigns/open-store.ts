import { shownDatabase } from '../lib/database/address.ts';
import { Failure } from '../lib/errors.ts';
import { type CampaignCaller, campaignDatabase } from '../settings/database.ts';
import type { Settings } from '../settings/settings.ts';
import type { CampaignStore } from './store.ts';

/** What opening a store needs of a session. */
export interface StoreContext extends CampaignCaller {
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

/**
 * Opens the store of campaigns and opt-outs: the database that is named, else files of this machine.
 * @param given the database that `--database` names
 * @throws Failure `invalidInput` for a database, which this version can't use yet, and as `campaignDatabase`
 */
export async function openStore(context: StoreContext, given: URL | undefined): Promise<CampaignStore> {
  const database = campaignDatabase(context, given);
  if (database !== undefined) throw filesAlone(database.url);
  const { createFileStore } = await import('./files/file-store.ts');
  return createFileStore(context.settings.paths.data, context.signal);
}

function filesAlone(url: URL): Failure {
  return new Failure(
    'invalidInput',
    `Campaigns and opt-outs can't be in ${shownDatabase(url)}: this botctl keeps them in files alone.`,
    { hint: 'Leave out --database, BOTCTL_DATABASE and the database of the profile.' },
  );
}
