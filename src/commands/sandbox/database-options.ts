import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { option, path } from '../../cli/options.ts';
import type { ServerAddress } from '../../database/open.ts';
import { unverifiedWarning } from '../../database/tls.ts';
import { Failure } from '../../lib/errors.ts';
import type { Reporter } from '../../lib/reporter.ts';
import type { DatabaseServer } from '../../sandbox/store/postgresql.ts';
import { namedDatabase, passwordlessDatabase } from '../../settings/database-name.ts';

/** The variable with the database, which corresponds to `--database`. It may contain a password. */
const variable = 'BOTCTL_SANDBOX_DATABASE';

/** The address of a database on a command line. */
export const publicUrl = passwordlessDatabase(variable);

/** The options for where a sandbox stores its rows and uploaded files, if not in its data directory. */
export const databaseOptions = {
  database: option(
    '--database <url>',
    'PostgreSQL database for the data (version 15 or later), with --files',
    publicUrl,
  ),
  files: option('--files <directory>', 'directory of the uploaded files, with --database', path),
};

/**
 * Returns the database that the options or the environment name, or undefined if they name none.
 * @throws Failure `usage` if only one of the options is given, `invalidInput` if the variable does not contain a
 *   database address
 */
export function serverOf(
  context: Pick<Context, 'io'>,
  { database, files }: { readonly database: URL | undefined; readonly files: string | undefined },
): DatabaseServer | undefined {
  const server = addressOf(context, database);
  if (server === undefined && files === undefined) return undefined;
  if (server === undefined) {
    throw new Failure('usage', '--files needs --database.', {
      hint: `Add --database URL, or set ${variable}.`,
    });
  }
  if (files === undefined) {
    throw new Failure('usage', `${database ? '--database' : variable} needs --files.`, {
      hint: 'Add --files DIRECTORY for the uploaded files. Sandboxes with the same database share it.',
    });
  }
  return { ...server, files: resolve(files) };
}

/**
 * Returns the database that `--database` or the environment names, or undefined if they name none.
 * @throws Failure `invalidInput` if the variable does not contain a database address
 */
export function addressOf(
  { io: { env } }: Pick<Context, 'io'>,
  database: URL | undefined,
): ServerAddress | undefined {
  return namedDatabase(env, variable, database);
}

/** Warns about a database whose certificate is not verified. */
export function warnOfUnverified(server: ServerAddress | undefined, reporter: Pick<Reporter, 'warn'>): void {
  const warning = server && unverifiedWarning(server.url);
  if (warning !== undefined) reporter.warn(warning);
}
