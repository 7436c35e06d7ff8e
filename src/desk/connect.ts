import type { Kysely } from 'kysely';
import * as z from 'zod/mini';
import { DatabaseError } from '../database/error.ts';
import { databaseFailure } from '../database/failure.ts';
import type { Database } from '../database/open.ts';
import type { Patience } from '../database/pool.ts';
import { openServerDatabase } from '../database/server-database.ts';
import { unverifiedWarning } from '../database/tls.ts';
import { databaseLabel, withoutPassword } from '../lib/database-address.ts';
import { Failure } from '../lib/errors.ts';
import { type CommandLine, command, remark } from '../lib/text/remark.ts';
import type { NamedDatabase } from '../settings/database-name.ts';
import { isForbidden } from './may-not-write.ts';
import { deskSchema, sessionBegin } from './schema.ts';
import type { DeskTables } from './tables.ts';

/** A connection to the database of a desk. */
export interface ConnectedDesk extends Database<DeskTables> {
  /** The PostgreSQL schema of its tables. */
  readonly schema: string;
  /** The version of the server, such as `15.4`. */
  readonly version: string;
  /** The UUID of the desk. A different UUID means that there is another desk at the same address. */
  readonly id: string;
  /** How long the history is kept, in milliseconds. */
  readonly keepMs: number;
  /** Returns the error to throw for an error of the database: a failure with a hint. */
  failureOf(error: unknown): unknown;
  /** Runs statements. Throws what `failureOf` returns. */
  run<T>(work: (db: Kysely<DeskTables>) => Promise<T>): Promise<T>;
}

/** Options of a connection to a desk. */
export interface ConnectOptions {
  readonly patience: Patience;
  /** Aborts the connection to a server that does not respond. */
  readonly signal?: AbortSignal | undefined;
  /** Called if the identity of the server is not verified. */
  warn(text: string): void;
}

/** The row of the table `desk`. */
const deskRow = z.object({ id: z.uuid(), keep_ms: z.number() });

/**
 * Connects to the database of a desk. It creates and changes nothing; the owner does that with `botctl desk migrate`.
 * @throws Failure `network` if the server can't be reached; `invalidInput` if it refuses, if the database has no desk,
 *   or if the desk belongs to another version of botctl
 */
export async function connectDesk(
  address: NamedDatabase,
  { patience, signal, warn }: ConnectOptions,
): Promise<ConnectedDesk> {
  const { url } = address;
  const warning = unverifiedWarning(url);
  if (warning !== undefined) warn(warning);
  const options = { patience, begin: sessionBegin, signal };
  const { state, ...database } = await openServerDatabase<DeskTables>(address, deskSchema, options);
  const failureOf = (error: unknown): unknown => failureAt(url, error);
  try {
    if (state !== 'newest') throw notMigrated(url, state);
    const row = await database.db.selectFrom('desk').select(['id', 'keep_ms']).executeTakeFirst();
    const { success, data } = z.safeParse(deskRow, row);
    if (!success)
      throw new Failure('invalidInput', `The table desk of ${databaseLabel(url)} is damaged.`, {
        hint: 'It must have one row, with the id of the desk. Its owner can restore it from a backup.',
      });
    return {
      ...database,
      id: data.id,
      keepMs: data.keep_ms,
      failureOf,
      run: (work) =>
        work(database.db).catch((error: unknown) => {
          throw failureOf(error);
        }),
    };
  } catch (error) {
    await database.close();
    throw failureOf(error);
  }
}

/**
 * Like `databaseFailure`, but a user who lacks a privilege is told to use one of the roles of a desk, not to grant all
 * privileges.
 */
function failureAt(url: URL, error: unknown): unknown {
  const failure = databaseFailure(error, url, deskSchema.variable);
  if (!(error instanceof DatabaseError) || !isForbidden(error) || !(failure instanceof Failure))
    return failure;
  const message = `Your database user lacks a privilege in ${databaseLabel(url)}: ${error.message}.`;
  return new Failure(failure.kind, message, { hint: deskSchema.privileges, cause: error });
}

/** Returns the failure of a migration by a user who may not create or change the tables; any other error unchanged. */
export function migrationFailure(url: URL, error: unknown): unknown {
  if (!isForbidden(error) || !(error instanceof Failure)) return error;
  const message = `Your database user may not create or change the tables of ${databaseLabel(url)}.`;
  const hint = remark`Run it as the user who owns the database (${command('help', 'desk')}): ${migrateAsOwner(url)}`;
  return new Failure(error.kind, message, { hint, cause: error });
}

/** Returns the command for the owner. If an agent or a reader migrated, they would own the tables. */
function migrateAsOwner(url: URL): CommandLine {
  const address = withoutPassword(url);
  address.username = 'OWNER';
  return command('desk', 'migrate', '--database', address.href);
}

/** Returns the failure for a database whose tables are missing or belong to an earlier version. */
function notMigrated(url: URL, state: 'none' | 'older'): Failure {
  const name = databaseLabel(url);
  const migrate = migrateAsOwner(url);
  const roles = command('help', 'desk');
  return state === 'none'
    ? new Failure('invalidInput', `${name} has no desk yet.`, {
        hint: remark`Create it as the user who will own its tables (${roles}): ${migrate}`,
      })
    : new Failure('invalidInput', `${name} has the tables of an earlier botctl.`, {
        hint: remark`Update them as the user who owns them (${roles}): ${migrate}`,
      });
}
