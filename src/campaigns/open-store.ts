import { shownDatabase } from '../lib/database-address.ts';
import { Failure, usageFailure } from '../lib/errors.ts';
import type { Reporter } from '../lib/reporter.ts';
import { counted } from '../lib/text/numbers.ts';
import { command, joinRemarks, remark } from '../lib/text/remark.ts';
import { originOf } from '../settings/base-url.ts';
import { type CampaignCaller, campaignDatabase, databaseOfProfile } from '../settings/database.ts';
import type { Profile } from '../settings/profile.ts';
import type { Identity, Settings } from '../settings/settings.ts';
import type { CampaignStore } from './store.ts';

/** What opening a store needs of a session. */
export interface StoreContext extends CampaignCaller {
  readonly identity: Pick<Identity, 'settings' | 'baseUrl'>;
  readonly settings: Pick<Settings, 'paths' | 'profiles'>;
  readonly signal: AbortSignal;
  readonly reporter: Pick<Reporter, 'note' | 'warn'>;
}

/**
 * Opens the store of campaigns and opt-outs: the database that is named, else files of this machine. Every list of opt-outs
 * counts that this machine knows for the service: beside a database the one in its files, and beside files those of the
 * databases that profiles of the service name.
 * @param given the database that `--database` names
 * @param isFirst true for what may be the first to be kept there: it says nothing of a database without anything of botctl
 * @throws Failure as `campaignDatabase` and `openDatabaseStore`
 */
export async function openStore(
  context: StoreContext,
  given: URL | undefined,
  isFirst = false,
): Promise<CampaignStore> {
  const { settings, signal, reporter } = context;
  const { data } = settings.paths;
  const tell = (text: string): void => reporter.warn(text);
  const database = campaignDatabase(context, given);
  if (database !== undefined) {
    const { openDatabaseStore } = await import('./database/database-store.ts');
    const { optOutFiles } = await import('./files/opt-outs.ts');
    const { withOtherOptOuts } = await import('./several-opt-outs.ts');
    const onFiles = optOutFiles(data, signal);
    const store = await openDatabaseStore(database, tell);
    const name = shownDatabase(database.url);
    if (store.isNew && !isFirst) reporter.note(`${name} has neither campaigns nor opt-outs of botctl yet.`);
    return withOtherOptOuts(store, {
      of: (baseUrl) => [onFiles(baseUrl)],
      onFirstLook: async (own, baseUrl) => {
        let lacking = 0;
        for await (const page of onFiles(baseUrl).list()) {
          const known = await own.among(page.map(({ number }) => number));
          lacking += page.filter(({ number }) => !known.has(number)).length;
        }
        if (lacking > 0) warnOf(lacking, name, context);
      },
    });
  }
  const { createFileStore } = await import('./files/file-store.ts');
  const store = createFileStore(data, signal);
  const profiles = profilesWithDatabase(context);
  if (profiles.length === 0) return store;
  const { laterOptOuts, withOtherOptOuts } = await import('./several-opt-outs.ts');
  const opening = profiles.map((profile) => openOnce(profile, context, tell));
  return withOtherOptOuts(store, {
    of: (baseUrl) => opening.map((open) => laterOptOuts(async () => (await open()).optOuts(baseUrl))),
  });
}

function warnOf(count: number, name: string, { reporter }: StoreContext): void {
  reporter.warn(
    remark`Opt-outs of ${counted(count, 'number')} are known on this machine alone, and not in ${name}: other hosts may write to them. To bring them over: ${command('optouts', 'import', '--local')}`,
  );
}

/** Returns the profiles of the service that name a database, one for each database. */
function profilesWithDatabase({ settings, identity }: StoreContext): readonly Profile[] {
  const found = new Map<string, Profile>();
  for (const profile of profilesIn(settings)) {
    const database = profile.settings?.database;
    if (database !== undefined && originOf(profile.baseUrl) === originOf(identity.baseUrl))
      found.set(database, profile);
  }
  return [...found.values()];
}

/** Where the key comes from the environment, profiles that can't be read stop nothing. */
function profilesIn({ profiles }: Pick<Settings, 'profiles'>): readonly Profile[] {
  try {
    return profiles.list();
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Returns what opens the database of a profile, at its first call. */
function openOnce(
  { name, settings }: Profile,
  { io }: StoreContext,
  tell: (text: string) => void,
): () => Promise<CampaignStore> {
  let opened: Promise<CampaignStore> | undefined;
  const open = async (): Promise<CampaignStore> => {
    const { openDatabaseStore } = await import('./database/database-store.ts');
    const database = databaseOfProfile(settings, io.env);
    if (database === undefined) throw new TypeError(`profile ${name} names no database`);
    return openDatabaseStore(database, tell).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      const unset = command('profiles', 'set', name, '--unset', 'database');
      throw new Failure(
        error.kind,
        `Profile ${name} keeps who opted out at this service in a database. ${error.message}`,
        {
          hint: joinRemarks([error.hint, remark`If that holds nothing any more: ${unset}`]),
          cause: error,
        },
      );
    });
  };
  return () => {
    // One that was away may be back at the next look.
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
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
