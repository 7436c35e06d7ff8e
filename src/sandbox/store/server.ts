import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { shownDatabase } from '../../lib/database/address.ts';
import { DatabaseError, isAway } from '../../lib/database/error.ts';
import { mostSessions, type Patience, serverPool } from '../../lib/database/pool.ts';
import { Failure } from '../../lib/errors.ts';
import { remark } from '../../lib/text/remark.ts';
import type { Secret } from '../../secrets/secret.ts';
import { engineIn, nameEngine, onServer } from './engine.ts';
import { claimFiles } from './files-mark.ts';
import { withOwnData } from './ownership.ts';
import { prepareSchema } from './server-schema.ts';
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
    return { db, files, isShared: true, sessions };
  } catch (error) {
    await db.destroy();
    throw serverFailure(error, name);
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
  const connect = (patience: Patience): Kysely<Tables> =>
    new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: sessions.of(serverPool(url, password, patience)) }),
    });
  const db = connect('short');
  try {
    const patient = connect('endless');
    await prepareSchema(patient, name).finally(() => patient.destroy());
    const { id } = await openServiceRow(db);
    return { db, sessions, id: `${id}/${await placeOf(db)}` };
  } catch (error) {
    await db.destroy();
    throw serverFailure(error, name);
  }
}

/**
 * Returns what tells a database from its copies: the numbers of its server's data, where the user may read that, and of itself
 * there. They stay with replicas that take over and with backups of the server's whole data, and not with dumps and templates.
 */
async function placeOf(db: Kysely<Tables>): Promise<string> {
  const here = sql<{ oid: string; may_read: boolean }>`select oid::text,
    has_function_privilege('pg_control_system()', 'execute') as may_read
    from pg_database where datname = current_database()`;
  const [row] = (await here.execute(db)).rows;
  if (!row?.may_read) return String(row?.oid);
  const cluster = sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`;
  return `${(await cluster.execute(db)).rows[0]?.id}/${row.oid}`;
}

/** A directory with rows of its own would be left behind unseen. */
function checkDirectory(directory: string): void {
  if (!existsSync(join(directory, 'database'))) return;
  throw new Failure('invalidInput', `${directory} holds the data of a sandbox without --database.`, {
    hint: remark`Give this one a directory of its own, beside --database: ${withOwnData}`,
  });
}

async function hasDocuments(db: Kysely<Tables>): Promise<boolean> {
  const found = sql<{ found: boolean }>`select exists (select from documents) as found`;
  return (await found.execute(db)).rows[0]?.found === true;
}

const wrongPassword = ['28P01', '28000'];
const noDatabase = '3D000';
const notAllowed = '42501';

/** PostgreSQL's codes for what waited too long for others, and what took too long itself. */
const tooLong = ['55P03', '57014'];

/** `pg` asks for one itself, and has no code for that. */
const passwordMissing = /password must be a (?:non-empty )?string/;

/** Returns what to throw for an error while a database is made ready; what isn't the database's is passed on. */
export function serverFailure(error: unknown, name: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const { code = '', message, cause = error } = error;
  if (wrongPassword.includes(code) || passwordMissing.test(message)) {
    return new Failure('invalidInput', `${name} refuses this user or its password: ${message}.`, {
      hint: 'Its password is taken from PGPASSWORD, from the file PGPASSFILE, or in the address BOTCTL_SANDBOX_DATABASE.',
      cause,
    });
  }
  if (code === noDatabase) {
    return new Failure('invalidInput', `There is no database ${name}.`, {
      hint: 'Who administers the server makes it: createdb',
      cause,
    });
  }
  if (code === notAllowed) {
    return new Failure('invalidInput', `${name} doesn't let this user make its tables: ${message}.`, {
      hint: 'Who administers the database grants it: grant create on schema public to the user, or makes the user its owner.',
      cause,
    });
  }
  if (tooLong.includes(code)) {
    return new Failure('network', `${name} is busy: ${message}.`, {
      hint: 'Somebody fills or empties it, it seems: try again once that is done.',
      cause,
    });
  }
  if (isAway(error)) {
    return new Failure('network', `${name} can't be reached: ${message}.`, {
      hint: 'See that the server runs, and that host and port are right.',
      cause,
    });
  }
  return new Failure('invalidInput', `${name} can't be used: ${message}.`, { cause });
}
