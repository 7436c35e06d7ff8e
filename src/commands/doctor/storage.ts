import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { campaignFile } from '../../campaigns/store/file.ts';
import { isDatabaseError } from '../../database/error.ts';
import { hasSqlite, sqliteInUse } from '../../database/sqlite-driver.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { campaignDatabase } from '../../settings/database-name.ts';
import { dataDirectory } from '../../settings/sandbox-data.ts';
import { type Answer, type Check, ok, orFailure, type Subject, warning } from './check.ts';
import { deskAnswer, strandedAnswer } from './desk.ts';
import { unwritableReason } from './files.ts';

/** The checks of the databases of campaigns and opt-outs, the desk, and the sandbox. */
export const storageChecks: readonly Check[] = [
  { name: 'sqlite', run: sqliteAnswer },
  { name: 'campaign file', needs: ['sqlite'], run: campaignFileAnswer },
  { name: 'campaign database', run: campaignDatabaseAnswer },
  { name: 'desk', run: deskAnswer },
  { name: 'earlier desks', needs: ['config file'], run: strandedAnswer },
  { name: 'sandbox data', run: sandboxAnswer },
];

function fileOf({ context }: Subject): string {
  return campaignFile(context.settings.paths.data);
}

/** @throws Failure `invalidInput` if opt-outs can't be read because SQLite is missing: then no message can be sent */
async function sqliteAnswer(subject: Subject): Promise<Answer> {
  const version = sqliteInUse();
  if (version !== undefined) return ok(`SQLite ${version}.`);
  const { requireSqlite } = await import('../../database/open.ts');
  const failure = await orFailure(() => requireSqlite('The storage of the sandbox, campaigns and opt-outs'));
  if (failure && existsSync(fileOf(subject))) throw failure;
  return failure ? warning(failure.message, failure.hint) : ok('SQLite can be used.');
}

/** @throws Failure as `checkFile`, with which `send` and `campaigns` would fail too */
async function campaignFileAnswer(subject: Subject): Promise<Answer | undefined> {
  const file = fileOf(subject);
  if (!existsSync(file)) return undefined;
  const { campaignSchema } = await import('../../campaigns/store/schema.ts');
  const { checkFile } = await import('../../database/check-file.ts');
  const { isWhole } = await checkFile(file, {
    schema: campaignSchema,
    isShared: true,
    user: 'The store of campaigns and opt-outs',
    important: ['campaigns', 'opt_outs'],
  });
  return ok(`${file} ${intact(isWhole)}.`);
}

function intact(isWhole: boolean): string {
  return isWhole ? 'is intact' : 'is intact as far as it was checked (it is large)';
}

async function campaignDatabaseAnswer({ context: { io }, known }: Subject): Promise<Answer | undefined> {
  // The environment may name a database without credentials.
  const settings = known instanceof Failure ? undefined : known.settings;
  const database = campaignDatabase({ io, identity: { settings } }, undefined);
  if (database === undefined) return undefined;
  const { inspectServer } = await import('../../campaigns/store/open-database.ts');
  const { state, version } = await inspectServer(database);
  const place = `${databaseLabel(database.url)}, on PostgreSQL ${version},`;
  if (state === 'newest') return ok(`${place} has the campaign tables.`);
  if (state === 'none') return ok(`${place} is empty. The first campaign creates its tables.`);
  return warning(
    `${place} has tables of an earlier botctl.`,
    remark`When no host runs that version any more, run: ${command('campaigns', 'migrate', '--database', database.url.href)}`,
  );
}

/** Only the sandbox needs its data, so a problem with it is a warning. */
async function sandboxAnswer({ context }: Subject): Promise<Answer | undefined> {
  if (!hasSqlite()) return undefined;
  const { databaseFile, refuseForeign } = await import('../../sandbox/store/ownership.ts');
  const directory = dataDirectory(context, undefined);
  const unwritable = unwritableReason(directory);
  if (unwritable !== undefined) {
    return warning(
      `The sandbox can't store its data in ${directory}: ${unwritable}.`,
      remark`Use another directory: ${command('sandbox', 'start', '--data', placeholder('<directory>'))}`,
    );
  }
  try {
    refuseForeign(directory);
    const file = join(directory, databaseFile);
    if (!existsSync(file)) return ok(`${directory} has no sandbox data yet.`);
    const { checkFile } = await import('../../database/check-file.ts');
    const { isWhole } = await checkFile(file, {
      isShared: false,
      user: 'The sandbox',
      important: ['teams', 'api_keys'],
    });
    return ok(`The data in ${directory} ${intact(isWhole)}.`);
  } catch (error) {
    if (isDatabaseError(error, 'busy')) return ok(`A sandbox runs on ${directory}.`);
    const { withSandboxHint } = await import('../../cli/sandbox-hints.ts');
    const failure = withSandboxHint(error, context);
    if (!(failure instanceof Failure) || failure.isInterruption) throw error;
    return warning(failure.message, failure.hint);
  }
}
