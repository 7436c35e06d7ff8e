import { type Kysely, sql } from 'kysely';
import { unlessAborted } from '../lib/clock.ts';
import { databaseLabel } from '../lib/database-address.ts';
import { Failure } from '../lib/errors.ts';
import type { RemarkText } from '../lib/text/remark.ts';
import { databaseFailure } from './failure.ts';
import {
  migrate,
  migrationTable,
  NewerSchema,
  namesOf,
  type Schema,
  type SchemaState,
  stateOf,
} from './migrate.ts';
import { connectServer, type Database, databaseIn, type ServerAddress, type SessionOptions } from './open.ts';

/** The schema of data that needs a database of its own on a server. */
export interface ServerSchema extends Schema {
  /** The subject and verb of a message: "campaigns need". */
  readonly needs: string;
  /** The hint if the database is used by other applications. */
  readonly ownDatabase: string;
  /** The environment variable that may contain its address with a password. */
  readonly variable: string;
  /** The hint how to grant missing privileges; the usual ones on all tables if not set. */
  readonly privileges?: RemarkText;
  /**
   * The column with the version of botctl that last migrated the database, if the schema has it. All later schemas have
   * it in the same place.
   */
  readonly neededVersion?: { readonly table: string; readonly column: string };
}

/** A database on a server, and its state when it was opened. */
export interface ServerDatabase<T> extends Database<T> {
  readonly schema: string;
  /** The state of the schema; an older one must be migrated by `migrateServerDatabase`. */
  readonly state: SchemaState;
  /** The version of the server, such as `15.4`. */
  readonly version: string;
}

/**
 * Connects to a database on a server, and finds the schema of its tables in the catalogue: `search_path` may differ
 * between users and hosts, and data must not seem to vanish because of it. Changes nothing there. An aborted signal
 * ends it even if the server does not respond.
 * @throws Failure `network` if the server can't be reached, `invalidInput` if it refuses, or if the database is not for
 * this botctl
 */
export async function openServerDatabase<T>(
  address: ServerAddress,
  schema: ServerSchema,
  { signal, ...options }: SessionOptions & { readonly signal?: AbortSignal | undefined },
): Promise<ServerDatabase<T>> {
  const db = connectServer<T>(address, options);
  const find = async (): Promise<ServerDatabase<T>> => {
    const name = databaseLabel(address.url);
    const version = await checkServer(db, name, schema);
    const found = await findTables(db, name, schema);
    return { ...databaseIn(db, found.schema), state: await stateIn(db, found, schema), version };
  };
  try {
    return await unlessAborted(find(), signal);
  } catch (error) {
    const ending = db.destroy();
    // A server that does not respond does not end its sessions either.
    if (!signal?.aborted) await ending;
    throw databaseFailure(error, address.url, schema.variable);
  }
}

/**
 * Upgrades a database on a server to the newest schema, without time limit; creates the schema in an empty one. Other
 * processes that migrate wait. Returns the earlier state.
 * @param begin statements that the session runs first
 * @param signal ends it when aborted
 * @throws Failure as `openServerDatabase`; the database is then unchanged
 */
export async function migrateServerDatabase(
  address: ServerAddress,
  schema: ServerSchema,
  begin?: readonly string[],
  signal?: AbortSignal,
): Promise<SchemaState> {
  const options = { patience: 'endless', begin, signal } as const;
  const { state, ...database } = await openServerDatabase(address, schema, options);
  try {
    await unlessAborted(migrate(database, schema), signal);
    return state;
  } catch (error) {
    throw databaseFailure(error, address.url, schema.variable);
  } finally {
    const closing = database.close();
    if (!signal?.aborted) await closing;
  }
}

/** Returns the result of a migration as a sentence. @param earlier the state before it */
export function migrationText(earlier: SchemaState, name: string): string {
  if (earlier === 'newest') return `The tables of ${name} are up to date.`;
  return `${earlier === 'none' ? 'Created' : 'Updated'} the tables of ${name}.`;
}

/** Returns the state as `stateOf`. If the schema is newer, the error includes the version of botctl needed. */
async function stateIn<T>(
  db: Kysely<T>,
  { schema: where, applied }: FoundTables,
  schema: ServerSchema,
): Promise<SchemaState> {
  try {
    return stateOf(applied, schema);
  } catch (error) {
    const { neededVersion } = schema;
    if (!(error instanceof NewerSchema) || neededVersion === undefined) throw error;
    const { table, column } = neededVersion;
    const found = sql<{ version: unknown }>`select ${sql.id(column)} as version from ${sql.id(where, table)}`;
    const version = (await found.execute(db)).rows[0]?.version;
    // Any user with write privileges may have changed it.
    const isVersion = typeof version === 'string' && /^\d+\.\d+\.\d+(?:-[\w.]{1,32})?$/.test(version);
    throw isVersion ? new NewerSchema(error.migration, version) : error;
  }
}

/** The oldest supported PostgreSQL, as `server_version_num`. */
const oldestVersion = 150_000;

/**
 * Returns the version of a server.
 * @throws Failure if the server or its database can't be used
 */
async function checkServer<T>(
  db: Kysely<T>,
  name: string,
  { needs, ownDatabase }: ServerSchema,
): Promise<string> {
  const settings = sql<{ number: number; version: string; encoding: string; is_template: boolean }>`select
    cast(current_setting('server_version_num') as integer) as number,
    current_setting('server_version') as version, current_setting('server_encoding') as encoding,
    (select datistemplate from pg_database where datname = current_database()) as is_template`;
  const [server] = (await settings.execute(db)).rows;
  if (server === undefined) throw new TypeError('the server has no version');
  if (server.number < oldestVersion) {
    throw new Failure('invalidInput', `${name} is on PostgreSQL ${server.version}; ${needs} 15 or newer.`);
  }
  if (server.encoding !== 'UTF8') {
    throw new Failure('invalidInput', `${name} has the encoding ${server.encoding}; ${needs} UTF8.`, {
      hint: 'Create another database: create database … encoding UTF8 template template0',
    });
  }
  if (server.is_template) {
    throw new Failure(
      'invalidInput',
      `${name} is a template database: each new database would get its tables.`,
      {
        hint: ownDatabase,
      },
    );
  }
  return server.version;
}

/** The tables of a schema in a database. */
interface FoundTables {
  /** The PostgreSQL schema that contains them, or in which to create them. */
  readonly schema: string;
  /** The names of the applied migrations. */
  readonly applied: readonly string[];
}

/**
 * Finds the tables of a schema.
 * @throws Failure if there are only tables of another application, or if the tables are ambiguous or can't be read
 */
async function findTables<T>(
  db: Kysely<T>,
  name: string,
  schema: ServerSchema,
  isSecondLook = false,
): Promise<FoundTables> {
  const { ownDatabase, migrations } = schema;
  const [first = ''] = namesOf(migrations);
  const { current, tables } = await migrationTables(db);
  const found: FoundTables[] = [];
  const empty: string[] = [];
  for (const { schema: where, is_readable } of tables) {
    if (!is_readable) continue;
    const table = sql.id(where, migrationTable);
    const applied = (await sql<{ name: string }>`select name from ${table}`.execute(db)).rows.map(
      (row) => row.name,
    );
    // Other programs that use kysely have a table of that name too.
    if (applied.includes(first)) found.push({ schema: where, applied });
    if (applied.length === 0) empty.push(where);
  }
  const [one, ...more] = found;
  const chosen = more.length === 0 ? one : found.find(({ schema: where }) => where === current);
  if (chosen !== undefined) return chosen;
  if (more.length > 0) {
    const schemas = found.map(({ schema: where }) => where);
    throw new Failure('invalidInput', `${name} has these tables in several schemas: ${schemas.join(', ')}.`, {
      hint: `Choose one in the address of the database: ?options=-csearch_path%3D${schemas[0]}`,
    });
  }
  const hidden = tables.find(({ is_readable }) => !is_readable)?.schema;
  if (hidden !== undefined) {
    throw new Failure('invalidInput', `${name} does not allow this user to read the schema ${hidden}.`, {
      hint:
        schema.privileges ??
        `Its owner can grant it: grant usage on schema "${hidden}" to the user, and select, insert, update, delete on all tables in it. ${ownDatabase}`,
    });
  }
  const own = current ?? 'public';
  const other = await otherTable(db, own, empty.includes(own));
  if (other === undefined) return { schema: own, applied: [] };
  // Another process may have created the tables between the two queries.
  if (!isSecondLook) return findTables(db, name, schema, true);
  throw new Failure('invalidInput', `${name} is used by another application: it has the table ${other}.`, {
    hint: ownDatabase,
  });
}

/** Returns the schema in which tables are created by default, if any, and all tables of migrations. */
async function migrationTables<T>(db: Kysely<T>): Promise<{
  readonly current: string | null;
  readonly tables: readonly { readonly schema: string; readonly is_readable: boolean }[];
}> {
  const current = sql<{ current: string | null }>`select current_schema() as current`;
  const tables = sql<{ schema: string; is_readable: boolean }>`select n.nspname as schema,
    has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as is_readable
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relname = ${migrationTable} and c.relkind in ('r', 'p') and n.nspname !~ '^pg_'
    and exists (select 1 from pg_attribute where attrelid = c.oid and attname = 'name') order by 1`;
  return {
    current: (await current.execute(db)).rows[0]?.current ?? null,
    tables: (await tables.execute(db)).rows,
  };
}

/**
 * Returns a table of a schema that does not belong to an extension, if any.
 * @param isBegun whether an earlier version of botctl was interrupted there before its first migration
 */
async function otherTable<T>(db: Kysely<T>, schema: string, isBegun: boolean): Promise<string | undefined> {
  const left = isBegun ? [migrationTable, 'kysely_migration_lock'] : ['kysely_migration_lock'];
  const others = sql<{ relname: string }>`select c.relname from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select 1 from pg_depend where objid = c.oid and deptype = 'e')
    and c.relname not in (${sql.join(left)}) limit 1`;
  return (await others.execute(db)).rows[0]?.relname;
}
