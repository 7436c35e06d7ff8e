import { accessSync, chmodSync, closeSync, constants, openSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { errorCode, Failure } from '../lib/errors.ts';
import { makePrivateDirectory, privateFile } from '../lib/files/private-file.ts';
import { type Differences, postgresDifferences, sqliteDifferences } from './differences.ts';
import { missingPackage, requirePackage, serverPackage } from './packages.ts';
import { type Password, type Patience, serverPool } from './pool.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { hasSqlite, openSqlite, sqlitePackage } from './sqlite-driver.ts';

export interface Database<T> extends Omit<Differences, 'hasTable'> {
  /** The query builder. On PostgreSQL, it qualifies table names with `schema`. */
  readonly db: Kysely<T>;
  /** The schema of the tables in PostgreSQL; undefined on SQLite. */
  readonly schema: string | undefined;
  /** Returns whether a table exists. */
  hasTable(name: string): Promise<boolean>;
  /** Closes the database after the running statements. */
  close(): Promise<void>;
}

/**
 * Checks that SQLite can be used here.
 * @param user the part of botctl that needs it: "A campaign"
 * @throws Failure `invalidInput`, with the command that installs it, if not
 */
export function requireSqlite(user: string): void {
  if (!hasSqlite()) throw missingPackage(sqlitePackage, user, "is not installed or can't be loaded here");
}

/**
 * Opens a SQLite file. Creates a missing file and its directory so that only this user can read them.
 * @param isShared whether several processes of this machine may open it; otherwise a second one is rejected with `busy`
 * @param user the part of botctl that needs it, for the error if SQLite is missing here: "A campaign"
 * @throws DatabaseError if it can't be opened
 * @throws Failure `invalidInput` if SQLite is missing here, or if the file would be shared on a network file system
 * @throws the file system's error if the file or its directory can't be written: see `fileFailure`
 */
export async function openFile<T>(
  file: string,
  { isShared, user }: { readonly isShared: boolean; readonly user: string },
): Promise<Database<T>> {
  requireSqlite(user);
  const directory = dirname(file);
  makePrivateDirectory(directory);
  if (isShared) refuseNetworkFileSystem(file, directory);
  createPrivateFile(file);
  // SQLite would only detect it at the first write.
  for (const path of [directory, file]) accessSync(path, constants.W_OK);
  const db = new Kysely<T>({ dialect: sqliteDialect(() => openSqlite(file, isShared), isShared) });
  // Opens the file now instead of at the first statement.
  await db.connection().execute(async () => undefined);
  return {
    ...sqliteDifferences,
    db,
    schema: undefined,
    hasTable: (name) => sqliteDifferences.hasTable(db, name),
    close: () => db.destroy(),
  };
}

/** The types of network file systems on Linux (statfs(2)): NFS, SMB, CIFS and SMB 2. */
const networkFileSystems: readonly number[] = [0x6969, 0x517b, 0xff534d42, 0xfe534d42];

/** Rejects a shared file on a network file system: over NFS or SMB, two machines may both get its lock. */
function refuseNetworkFileSystem(file: string, directory: string): void {
  // On 32-bit systems the number is signed.
  if (!networkFileSystems.includes(statfsSync(directory).type >>> 0)) return;
  throw new Failure(
    'invalidInput',
    `${file} is on a network file system, where SQLite locks are not reliable.`,
    {
      hint: 'Keep it on a disk of this machine. If several machines share the data, use a PostgreSQL database.',
    },
  );
}

/**
 * Creates a private file. SQLite would create it with the mode of the umask; its journals get the mode of the file.
 */
function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', privateFile));
  } catch (error) {
    // An existing file is not opened here: closing it would release the locks that this process holds on it.
    if (errorCode(error) !== 'EEXIST') throw error;
    const { uid, mode } = statSync(file);
    // A restored backup may have the mode of the umask. Windows has no such modes.
    if (uid === process.geteuid?.() && (mode & 0o077) !== 0) chmodSync(file, privateFile);
  }
}

/** A database on a PostgreSQL server. */
export interface ServerAddress {
  /** Its address, without a password. */
  readonly url: URL;
  /** If missing, `pg` looks for one in the file that `PGPASSFILE` names. */
  readonly password?: Password | undefined;
}

/** Options of server sessions. */
export interface SessionOptions {
  readonly patience: Patience;
  /** Statements that each new session runs first. */
  readonly begin?: readonly string[] | undefined;
  /** Milliseconds after which an idle session is closed. */
  readonly idleMs?: number | undefined;
}

/**
 * Connects to a PostgreSQL database, at the first statement. Table names are not qualified.
 * @throws Failure `invalidInput` if the package for it is missing
 */
export function connectServer<T>(
  { url, password }: ServerAddress,
  { patience, begin, idleMs }: SessionOptions,
): Kysely<T> {
  requirePackage(serverPackage, '--database');
  return new Kysely<T>({
    dialect: new PostgresDialect({ pool: serverPool(url, password, patience, begin, idleMs) }),
  });
}

/** Returns a database whose tables are in a schema. */
export function databaseIn<T>(db: Kysely<T>, schema: string): Database<T> & { readonly schema: string } {
  return {
    ...postgresDifferences,
    db: db.withSchema(schema),
    schema,
    hasTable: (name) => postgresDifferences.hasTable(db, name, schema),
    close: () => db.destroy(),
  };
}
