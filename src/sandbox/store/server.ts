import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { databaseFailure } from '../../database/failure.ts';
import { placeOf } from '../../database/place.ts';
import { mostSessions, type Patience, serverPool } from '../../database/pool.ts';
import { prepareSchema } from '../../database/schema.ts';
import { shownDatabase } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { remark } from '../../lib/text/remark.ts';
import type { Secret } from '../../secrets/secret.ts';
import { engineIn, nameEngine, onServer } from './engine.ts';
import { claimFiles } from './files-mark.ts';
import { postgresDatabase } from './migrations.ts';
import { withOwnData } from './ownership.ts';
import { schema } from './server-schema.ts';
import { openServiceRow } from './service-row.ts';
import { SessionCount } from './session-count.ts';
import type { OpenedEngine } from './store.ts';
import type { Tables } from './tables.ts';

/** A database on a PostgreSQL server. */
export interface ServerAddress {
  /** Its address, without a password. */
  readonly url: URL;
  /** `pg` looks for one in the environment and in the file that it names (`PGPASSFILE`) if none is given. */
  readonly password?: Secret | undefined;
}

/** The same with the directory of the uploaded files. */
export interface DatabaseServer extends ServerAddress {
  /** The directory for the uploaded files. */
  readonly files: string;
}

/**
 * Opens a database on a server, which other processes may serve too. The data directory, whose lock the caller has, holds
 * `engine` alone, which says so.
 * @throws Failure as `connectServer`, and `invalidInput` if the directory is not for this service
 */
export async function openServer(directory: string, server: DatabaseServer): Promise<OpenedEngine> {
  checkDirectory(directory);
  const { db, sessions, id } = await connectServer(server);
  const name = shownDatabase(server.url);
  try {
    const files = claimFiles(server.files, { id, name, hasFiles: await hasDocuments(db) });
    if (engineIn(directory) !== onServer) nameEngine(directory, onServer);
    return { ...postgresDatabase(db), files, isShared: true, sessions };
  } catch (error) {
    await db.destroy();
    throw serverFailure(error, server.url);
  }
}

/** A database as it is before anyone serves it. */
interface Connected extends Pick<OpenedEngine, 'db' | 'sessions'> {
  /** Tells it from any other, its copies too. */
  readonly id: string;
}

/**
 * Connects with a database on a server, and brings its schema to the newest step.
 * @throws Failure `network` if the server can't be reached, `invalidInput` if it refuses, or the database is not for this
 *   service
 */
export async function connectServer({ url, password }: ServerAddress): Promise<Connected> {
  const name = shownDatabase(url);
  const sessions = new SessionCount(mostSessions);
  const connect = <T>(patience: Patience): Kysely<T> =>
    new Kysely<T>({
      dialect: new PostgresDialect({ pool: sessions.of(serverPool(url, password, patience)) }),
    });
  const db = connect<Tables>('short');
  try {
    const patient = connect<unknown>('endless');
    await prepareSchema(patient, name, schema).finally(() => patient.destroy());
    const { id } = await openServiceRow(db);
    return { db, sessions, id: `${id}/${await placeOf(db)}` };
  } catch (error) {
    await db.destroy();
    throw serverFailure(error, url);
  }
}

/** A directory with rows of its own would be left behind unseen. */
function checkDirectory(directory: string): void {
  if (!existsSync(join(directory, 'database'))) return;
  throw new Failure('invalidInput', `${directory} holds the data of a sandbox without --database.`, {
    hint: remark`Give this one a directory of its own, beside --database: ${withOwnData}`,
  });
}

async function hasDocuments(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom('documents').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Returns what to throw for an error while a database is made ready; what isn't the database's is passed on. */
export function serverFailure(error: unknown, url: URL): unknown {
  return databaseFailure(error, url, 'BOTCTL_SANDBOX_DATABASE');
}
