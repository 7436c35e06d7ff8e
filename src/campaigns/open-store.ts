import { requireSqlite } from '../database/open.ts';
import type { Clock } from '../lib/clock.ts';
import { databaseLabel } from '../lib/database-address.ts';
import { Failure } from '../lib/errors.ts';
import type { Reporter } from '../lib/reporter.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { command, joinRemarks, remark } from '../lib/text/remark.ts';
import { originOf } from '../settings/base-url.ts';
import {
  campaignDatabase,
  type DatabaseCaller,
  databaseOfProfile,
  type NamedDatabase,
} from '../settings/database-name.ts';
import type { Profile } from '../settings/profile.ts';
import type { Identity, Settings } from '../settings/settings.ts';
import { refuseEarlierFiles } from './earlier-files.ts';
import type { OptOuts } from './opt-outs.ts';
import type { CampaignStore } from './store/campaign-store.ts';
import type { OpenedDatabase } from './store/open-database.ts';

/** Dependencies of the store on this machine. */
interface LocalContext {
  readonly settings: Pick<Settings, 'paths'>;
  readonly clock: Clock;
  readonly reporter: Pick<Reporter, 'warn'>;
}

export interface StoreContext extends DatabaseCaller, LocalContext {
  readonly identity: Pick<Identity, 'settings' | 'baseUrl'>;
  readonly settings: Pick<Settings, 'paths' | 'profiles'>;
  /** Aborts the connection to a server that does not respond. */
  readonly signal: AbortSignal;
  readonly reporter: Pick<Reporter, 'note' | 'warn'>;
}

/**
 * Opens the store of campaigns and opt-outs: the named database on a server, or else the file of this machine. All
 * opt-outs that this machine has for the service count: a server is used together with the file of this machine, and
 * the file together with the databases that profiles of the service name.
 * @param given the database that `--database` names
 * @param isFirst whether this may be the first write there: a new database is then not worth a note
 * @throws Failure `invalidInput` if files of a version before the first release are left or SQLite is missing here, and
 *   as `campaignDatabase` and `openOnServer`
 */
export async function openStore(
  context: StoreContext,
  given: URL | undefined,
  isFirst = false,
): Promise<CampaignStore> {
  const database = campaignDatabase(context, given);
  if (database === undefined) requireSqlite('The store of campaigns and opt-outs');
  refuseEarlierFiles(context.settings.paths.data);
  return database === undefined ? openLocalStore(context) : openServerStore(context, database, isFirst);
}

/**
 * Returns the opt-outs of the service. Without SQLite it still works as long as no file has to be read.
 * @throws Failure as `openStore`
 */
export async function openOptOuts(context: StoreContext): Promise<OptOuts> {
  refuseEarlierFiles(context.settings.paths.data);
  const database = campaignDatabase(context, undefined);
  const store = await (database === undefined
    ? openLocalStore(context)
    : openServerStore(context, database, true));
  return store.optOuts(context.identity.baseUrl);
}

async function openServerStore(
  context: StoreContext,
  address: NamedDatabase,
  isFirst: boolean,
): Promise<CampaignStore> {
  const { openOnServer } = await import('./store/open-database.ts');
  const store = await createStore(
    await openOnServer(address, (text) => context.reporter.warn(text), context.signal),
  );
  const here = await localStore(context);
  const name = databaseLabel(address.url);
  if (store.isNew && !isFirst) context.reporter.note(`${name} has no campaigns or opt-outs of botctl yet.`);
  const { withOtherOptOuts } = await import('./several-opt-outs.ts');
  return withOtherOptOuts(store, {
    open: async (baseUrl) => [here.optOuts(baseUrl)],
    onFirstRead: async (own, baseUrl) => {
      let lacking = 0;
      for await (const page of here.optOuts(baseUrl).list()) {
        const known = await own.filterOptedOut(page.map(({ number }) => number));
        lacking += page.filter(({ number }) => !known.has(number)).length;
      }
      if (lacking > 0) warnMissing(lacking, name, context);
    },
  });
}

async function openLocalStore(context: StoreContext): Promise<CampaignStore> {
  const store = await localStore(context);
  const profiles = profilesWithDatabase(context);
  if (profiles.length === 0) return store;
  const { withOtherOptOuts } = await import('./several-opt-outs.ts');
  const opening = profiles.map((profile) => lazyProfileStore(profile, context));
  return withOtherOptOuts(store, {
    open: (baseUrl) => Promise.all(opening.map(async (open) => (await open()).optOuts(baseUrl))),
  });
}

/** Returns the store in the file of this machine, which is opened by its first call. */
export async function localStore({ settings, clock, reporter }: LocalContext): Promise<CampaignStore> {
  const { openOnMachine } = await import('./store/open-database.ts');
  return createStore(openOnMachine(settings.paths.data, clock, (text) => reporter.warn(text)));
}

async function createStore(database: OpenedDatabase): Promise<CampaignStore> {
  const { storeIn } = await import('./store/campaign-store.ts');
  return storeIn(database);
}

function warnMissing(count: number, name: string, { reporter }: StoreContext): void {
  reporter.warn(
    remark`Missing in ${name}: ${pluralize(count, 'opt-out')} of this machine. Other hosts may write to these numbers. Copy them: ${command('optouts', 'import', '--local')}`,
  );
}

/** Returns the profiles of the service that name a database, one per database. */
function profilesWithDatabase({ settings, identity }: StoreContext): readonly Profile[] {
  const found = new Map<string, Profile>();
  for (const profile of readProfiles(settings)) {
    const database = profile.settings?.database;
    if (database !== undefined && originOf(profile.baseUrl) === originOf(identity.baseUrl))
      found.set(database, profile);
  }
  return [...found.values()];
}

/** If the key comes from the environment, unreadable profiles are not an error. */
function readProfiles({ profiles }: Pick<Settings, 'profiles'>): readonly Profile[] {
  try {
    return profiles.list();
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Returns a function that opens the database of a profile at its first call and then returns the same store. */
function lazyProfileStore(
  { name, settings }: Profile,
  { io, reporter, signal }: StoreContext,
): () => Promise<CampaignStore> {
  let opened: Promise<CampaignStore> | undefined;
  const open = async (): Promise<CampaignStore> => {
    const { openOnServer } = await import('./store/open-database.ts');
    const database = databaseOfProfile(settings, io.env);
    if (database === undefined) throw new TypeError(`profile ${name} names no database`);
    const opening = openOnServer(database, (text) => reporter.warn(text), signal);
    return opening.then(createStore).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      const unset = command('profiles', 'set', name, '--unset', 'database');
      throw new Failure(
        error.kind,
        `Profile ${name} stores the opt-outs of this service in a database. ${error.message}`,
        {
          hint: joinRemarks([error.hint, remark`If you no longer use that database: ${unset}`]),
          cause: error,
        },
      );
    });
  };
  return () => {
    // A database that can't be reached now may be back at the next call.
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}
