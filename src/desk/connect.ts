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
import { command, remark } from '../lib/text/remark.ts';
import type { NamedDatabase } from '../settings/database-name.ts';
import { deskSchema, sessionBegin } from './schema.ts';
import type { DeskTables } from './tables.ts';

/** The database of a desk, open for use. */
export interface ConnectedDesk extends Database<DeskTables> {
  /** The schema of PostgreSQL that its tables are in. */
  readonly schema: string;
  /** The version of the server, such as `15.4`. */
  readonly version: string;
  /** The UUID of the desk; another one means another desk at the same address. */
  readonly id: string;
  /** How long the history is kept, in milliseconds. */
  readonly keepMs: number;
  /** Returns what to throw for an error of the database: a failure with a hint. */
  failureOf(error: unknown): unknown;
  /** Runs statements; throws what `failureOf` returns. */
  run<T>(work: (db: Kysely<DeskTables>) => Promise<T>): Promise<T>;
}

/** Options of a connection with a desk. */
export interface ConnectOptions {
  readonly patience: Patience;
  /** Ends the wait for a server that does not answer. */
  readonly signal?: AbortSignal | undefined;
  /** Reports a connection whose server is not verified. */
  warn(text: string): void;
}

/** The row of the table `desk`. */
const deskRow = z.object({ id: z.uuid(), keep_ms: z.number() });

/**
 * Connects with the database of a desk. Creates and changes nothing there: its owner does that with `botctl desk migrate`.
 * @throws Failure `network` if the server can't be reached; `invalidInput` if it refuses, or if the database has no desk, or one of
 *   another version of botctl
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

/** As `databaseFailure`: a user that lacks a privilege needs one of the roles of a desk, and not all privileges. */
function failureAt(url: URL, error: unknown): unknown {
  const failure = databaseFailure(error, url, deskSchema.variable);
  const isForbidden = error instanceof DatabaseError && error.code === '42501';
  if (!isForbidden || !(failure instanceof Failure)) return failure;
  const message = `Your database user lacks a privilege in ${databaseLabel(url)}: ${error.message}.`;
  return new Failure(failure.kind, message, { hint: deskSchema.privileges, cause: error });
}

/** Returns the failure for a database whose tables are missing, or those of an earlier version. */
function notMigrated(url: URL, state: 'none' | 'older'): Failure {
  const name = databaseLabel(url);
  // Tables of an agent or a reader would be theirs, so the address is not that of the user at hand.
  const address = withoutPassword(url);
  address.username = 'OWNER';
  const migrate = command('desk', 'migrate', '--database', address.href);
  const roles = command('help', 'desk');
  return state === 'none'
    ? new Failure('invalidInput', `${name} has no desk yet.`, {
        hint: remark`Create it as the user who will own its tables (${roles}): ${migrate}`,
      })
    : new Failure('invalidInput', `${name} has the tables of an earlier botctl.`, {
        hint: remark`Update them as the user who owns them (${roles}): ${migrate}`,
      });
}
