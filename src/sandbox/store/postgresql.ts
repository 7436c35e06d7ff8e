import { type Kysely, sql } from 'kysely';
import { databaseFailure } from '../../database/failure.ts';
import type { Database, ServerAddress } from '../../database/open.ts';
import {
  migrateServerDatabase,
  openServerDatabase,
  type ServerSchema,
} from '../../database/server-database.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { SandboxProblem } from '../problem.ts';
import { claimFiles } from './files-mark.ts';
import { schema } from './schema.ts';
import { openServiceRow, type ServiceRow } from './service-row.ts';
import type { Store, Tables } from './tables.ts';

/** A database on a PostgreSQL server, with the directory of the uploaded files. */
export interface DatabaseServer extends ServerAddress {
  /** The directory for the uploaded files. */
  readonly files: string;
}

const wanted: ServerSchema = {
  ...schema,
  needs: 'the sandbox needs',
  ownDatabase: 'Use a separate database for the sandbox.',
  variable: 'BOTCTL_SANDBOX_DATABASE',
};

/**
 * Opens the store in a database on a server, which other processes may serve too.
 * @throws Failure as `connectServer`, and `invalidInput` if the directory of the files is not for this database
 */
export async function openServerStore(server: DatabaseServer): Promise<Store> {
  const { database, service } = await connectServer(server);
  const { db } = database;
  try {
    const document = await db.selectFrom('documents').select('id').limit(1).executeTakeFirst();
    const files = claimFiles(server.files, {
      id: `${service.id}/${await placeOf(db)}`,
      name: databaseLabel(server.url),
      hasFiles: document !== undefined,
    });
    return { ...database, files, isShared: true, signingKey: service.signingKey };
  } catch (error) {
    await database.close();
    throw serverFailure(error, server.url);
  }
}

/** A connected database, with its service row. */
interface Connected {
  readonly database: Database<Tables>;
  readonly service: ServiceRow;
}

/**
 * Connects to a database on a server; creates the schema in an empty one.
 * @throws Failure `network` if the server can't be reached, `invalidInput` if it refuses, or the database is not for
 * this service or of an earlier version
 */
export async function connectServer(server: ServerAddress): Promise<Connected> {
  const { state, ...database } = await openServerDatabase<Tables>(server, wanted, { patience: 'short' });
  try {
    // Sandboxes of that version may be using it.
    if (state === 'older') {
      const message = `${databaseLabel(server.url)} has tables of an earlier botctl.`;
      throw new SandboxProblem(message, { code: 'databaseOfEarlierVersion', url: server.url.href });
    }
    if (state === 'none') await migrateDatabase(server);
    return { database, service: await openServiceRow(database.db) };
  } catch (error) {
    await database.close();
    throw serverFailure(error, server.url);
  }
}

/**
 * Returns an identity that distinguishes a database from its copies: its number on its server, and the server's system
 * identifier if the user may read it. The identity is preserved by replicas that take over and by physical backups of
 * the server, but not by dumps and templates.
 */
async function placeOf(db: Kysely<Tables>): Promise<string> {
  const here = sql<{ oid: string; may_read: boolean }>`select cast(oid as text) as oid,
    has_function_privilege('pg_control_system()', 'execute') as may_read
    from pg_database where datname = current_database()`;
  const [row] = (await here.execute(db)).rows;
  if (!row?.may_read) return String(row?.oid);
  const cluster = sql<{ id: string }>`select cast(system_identifier as text) as id from pg_control_system()`;
  return `${(await cluster.execute(db)).rows[0]?.id}/${row.oid}`;
}

/**
 * Upgrades a database to the schema of this version; creates it in an empty one. Returns false if it was up to date.
 * @throws Failure as `connectServer`
 */
export async function migrateDatabase(server: ServerAddress): Promise<boolean> {
  return (await migrateServerDatabase(server, wanted)) !== 'newest';
}

/** Converts an error of preparing a database to a failure; returns any other error unchanged. */
export function serverFailure(error: unknown, url: URL): unknown {
  return databaseFailure(error, url, wanted.variable);
}
