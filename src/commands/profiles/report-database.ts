import type { Context } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { firstFew, inSentence } from '../../lib/text/sentence.ts';
import { originOf } from '../../settings/base-url.ts';
import { databaseOfProfile } from '../../settings/database-name.ts';
import type { Profile } from '../../settings/profile.ts';

/** The maximum number of campaigns that are listed by name; the others are counted. */
const maxNamed = 5;

/**
 * Reports the effect of a profile's new database: which data of this machine is no longer visible, and whether the
 * database can be reached. Problems are only warnings.
 */
export async function reportDatabase(context: Context, profile: Profile): Promise<void> {
  for (const tell of [reportLocalData, checkDatabase]) {
    try {
      await tell(context, profile);
    } catch (error) {
      if (!(error instanceof Failure) || error.isInterruption) throw error;
      context.terminal.warn(joinRemarks([error.message, error.hint], ' ') ?? error.message);
    }
  }
}

/** Reports the campaigns and opt-outs that are stored on this machine. */
async function reportLocalData(context: Context, { name, baseUrl }: Profile): Promise<void> {
  const { terminal } = context;
  const { localStore } = await import('../../campaigns/open-store.ts');
  const store = await localStore(context);
  const { campaigns } = await store.list(originOf(baseUrl));
  if (campaigns.length > 0) {
    const names = firstFew(
      campaigns.map(({ campaign }) => inSentence(campaign.name)),
      maxNamed,
    );
    terminal.warn(
      remark`${pluralize(campaigns.length, 'campaign')} on this machine ${campaigns.length === 1 ? 'is' : 'are'} now hidden: ${names}. To show ${campaigns.length === 1 ? 'it' : 'them'} again: ${command('profiles', 'set', name, '--unset', 'database')}`,
    );
  }
  let optOuts = 0;
  for await (const page of store.optOuts(baseUrl).list()) optOuts += page.length;
  if (optOuts > 0)
    terminal.warn(
      remark`This machine has opt-outs of ${pluralize(optOuts, 'number')}, which still apply here. To copy them to the database: ${command('optouts', 'import', '--local', '--profile', name)}`,
    );
}

/** @throws Failure if it can't be reached or is not a database of campaigns */
async function checkDatabase({ io }: Context, { settings }: Profile): Promise<void> {
  const database = databaseOfProfile(settings, io.env);
  if (database === undefined) return;
  const { inspectServer } = await import('../../campaigns/store/open-database.ts');
  await inspectServer(database);
}
