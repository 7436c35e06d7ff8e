import { existsSync } from 'node:fs';
import { campaignFile } from '../../campaigns/store/file.ts';
import { hasSqlite } from '../../database/sqlite-driver.ts';
import { shownDatabase } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { campaignDatabase, campaignVariable } from '../../settings/database.ts';
import type { ProfileSettings } from '../../settings/profile-settings.ts';
import { type Answer, type Check, ok, type Subject, skipped, warning } from './check.ts';

/** Checks of the storage of campaigns and opt-outs. */
export const campaignChecks: readonly Check[] = [
  { name: 'campaigns', isWanted: lacksSqlite, run: sqliteAnswer },
  {
    name: 'campaign database',
    isWanted: (subject) =>
      Boolean(subject.context.io.env[campaignVariable]) || settingsOf(subject)?.database !== undefined,
    run: databaseAnswer,
  },
];

/** Whether there are campaigns or opt-outs that can't be read for want of SQLite. */
function lacksSqlite({ context }: Subject): boolean {
  return existsSync(campaignFile(context.settings.paths.data)) && !hasSqlite();
}

/** @throws Failure `invalidInput` if SQLite is missing: nothing is sent then */
async function sqliteAnswer(): Promise<Answer> {
  const { requireSqlite } = await import('../../database/open.ts');
  requireSqlite('The store of campaigns and opt-outs');
  return ok('Campaigns and opt-outs can be read.');
}

async function databaseAnswer(subject: Subject): Promise<Answer> {
  const { io } = subject.context;
  const database = campaignDatabase({ io, identity: { settings: settingsOf(subject) } }, undefined);
  if (database === undefined) return skipped('No database is named.');
  const { lookAtServer } = await import('../../campaigns/store/open-database.ts');
  const { state, version } = await lookAtServer(database);
  const place = `${shownDatabase(database.url)}, on PostgreSQL ${version},`;
  if (state === 'newest') return ok(`${place} is there, and has the tables of campaigns.`);
  if (state === 'none') return ok(`${place} is there, and empty: the first campaign makes its tables.`);
  return warning(
    `${place} is there, with the tables of an earlier botctl.`,
    remark`Once no host runs that version any more: ${command('campaigns', 'migrate', '--database', database.url.href)}`,
  );
}

/** Without credentials the environment may name a database still. */
function settingsOf(subject: Subject): ProfileSettings | undefined {
  try {
    return subject.identity.settings;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
