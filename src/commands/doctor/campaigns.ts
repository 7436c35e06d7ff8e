import { shownDatabase } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { campaignDatabase, campaignVariable } from '../../settings/database.ts';
import type { ProfileSettings } from '../../settings/profile-settings.ts';
import { type Answer, type Check, ok, type Subject, skipped } from './check.ts';

/** Checks of where campaigns and opt-outs are kept. */
export const campaignChecks: readonly Check[] = [
  {
    name: 'campaign database',
    isWanted: (subject) =>
      Boolean(subject.context.io.env[campaignVariable]) || settingsOf(subject)?.database !== undefined,
    run: databaseAnswer,
  },
];

async function databaseAnswer(subject: Subject): Promise<Answer> {
  const { io } = subject.context;
  const database = campaignDatabase({ io, identity: { settings: settingsOf(subject) } }, undefined);
  if (database === undefined) return skipped('No database is named.');
  const { lookAtDatabase } = await import('../../campaigns/database/connection.ts');
  const { state, version } = await lookAtDatabase(database);
  const place = `${shownDatabase(database.url)}, on PostgreSQL ${version},`;
  if (state === 'newest') return ok(`${place} is there, and has the tables of campaigns.`);
  if (state === 'none') return ok(`${place} is there, and empty: the first campaign makes its tables.`);
  return ok(
    `${place} is there; the next line about campaigns brings the tables of an earlier botctl up to date.`,
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
