import { shownDatabase } from '../lib/database/address.ts';
import { usageFailure } from '../lib/errors.ts';
import type { Reporter } from '../lib/reporter.ts';
import { type CampaignCaller, campaignDatabase } from '../settings/database.ts';
import type { Settings } from '../settings/settings.ts';
import type { CampaignStore } from './store.ts';

/** What opening a store needs of a session. */
export interface StoreContext extends CampaignCaller {
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly reporter: Pick<Reporter, 'note' | 'warn'>;
}

/**
 * Opens the store of campaigns and opt-outs: the database that is named, else files of this machine.
 * @param given the database that `--database` names
 * @param isFirst true for what may be the first to be kept there: it says nothing of a database without anything of botctl
 * @throws Failure as `campaignDatabase` and `openDatabaseStore`
 */
export async function openStore(
  context: StoreContext,
  given: URL | undefined,
  isFirst = false,
): Promise<CampaignStore> {
  const database = campaignDatabase(context, given);
  if (database !== undefined) {
    const { openDatabaseStore } = await import('./database/database-store.ts');
    const store = await openDatabaseStore(database, (text) => context.reporter.warn(text));
    const name = shownDatabase(database.url);
    if (store.isNew && !isFirst)
      context.reporter.note(`${name} has neither campaigns nor opt-outs of botctl yet.`);
    return store;
  }
  const { createFileStore } = await import('./files/file-store.ts');
  return createFileStore(context.settings.paths.data, context.signal);
}

/**
 * Checks that what takes a campaign over is meant for the store that it is in.
 * @throws Failure `usage` where it isn't
 */
export function checkTakeOver(
  context: CampaignCaller,
  given: URL | undefined,
  { moveHere, acceptFailover }: { readonly moveHere: boolean; readonly acceptFailover: boolean },
): void {
  const isInDatabase = campaignDatabase(context, given) !== undefined;
  if (moveHere && isInDatabase)
    throw usageFailure(['--move-here is for campaigns on files: in a database they belong to every host.']);
  if (acceptFailover && !isInDatabase)
    throw usageFailure(['--accept-failover is for campaigns in a database, and these are on files.']);
}
