import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { option, path } from '../../cli/options.ts';
import { databaseUrl, passwordIn, withoutPassword } from '../../lib/database/address.ts';
import { Failure } from '../../lib/errors.ts';
import { type Parse, ValueError } from '../../lib/parse.ts';
import type { DatabaseServer, ServerAddress } from '../../sandbox/store/server.ts';
import { Secret } from '../../secrets/secret.ts';

/** The variable that names a database as `--database` does; a password may be in it. */
const variable = 'BOTCTL_SANDBOX_DATABASE';

/** Others on the machine see what is on a command line, and shells keep it. */
export const publicUrl: Parse<URL> = (raw) => {
  const url = databaseUrl(raw);
  const password = passwordIn(url);
  if (password === undefined) return url;
  // Masked from now on, wherever the line is shown.
  void new Secret(password);
  throw new ValueError(
    `may hold no password, which others could read there; give it in PGPASSWORD, in the file PGPASSFILE, or in ${variable}`,
  );
};

/** Where a sandbox keeps its rows and uploaded files, if not in its data directory. */
export const databaseOptions = {
  database: option(
    '--database <url>',
    'keep everything in a PostgreSQL 15 or newer, such as postgres://ana@host/name, with --files',
    publicUrl,
  ),
  files: option('--files <directory>', 'directory of the uploaded files, with --database', path),
};

/**
 * Returns the database that the options or the environment name, or undefined if they name none.
 * @throws Failure `usage` where one of the options lacks the other, `invalidInput` for a variable that names no database
 */
export function serverOf(
  context: Pick<Context, 'io'>,
  { database, files }: { readonly database: URL | undefined; readonly files: string | undefined },
): DatabaseServer | undefined {
  const server = addressOf(context, database);
  if (server === undefined && files === undefined) return undefined;
  if (server === undefined) {
    throw new Failure('usage', '--files needs --database.', {
      hint: `Name the database that the files belong to: --database, or ${variable}.`,
    });
  }
  if (files === undefined) {
    throw new Failure('usage', `${database ? '--database' : variable} needs --files.`, {
      hint: 'Name the directory of the uploaded files: --files. Services of one database share it.',
    });
  }
  return { ...server, files: resolve(files) };
}

/**
 * Returns the database that `--database` or the environment names, or undefined if they name none.
 * @throws Failure `invalidInput` for a variable that names no database
 */
export function addressOf(
  { io: { env } }: Pick<Context, 'io'>,
  database: URL | undefined,
): ServerAddress | undefined {
  const url = database ?? urlIn(env.BOTCTL_SANDBOX_DATABASE);
  if (url === undefined) return undefined;
  const password = passwordIn(url) ?? (env.PGPASSWORD || undefined);
  return { url: withoutPassword(url), password: password === undefined ? undefined : new Secret(password) };
}

function urlIn(value: string | undefined): URL | undefined {
  if (!value) return undefined;
  try {
    return databaseUrl(value);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new Failure('invalidInput', `${variable} ${error.message}.`);
  }
}
