import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { ownMember } from '../lib/json-object.ts';
import type { Database } from './open.ts';

/**
 * Statements for each engine, separated by `;` at the end of a line. A `;` between `$$`, in the body of a function, is
 * not a separator.
 */
export interface Statements {
  readonly sqlite: string;
  readonly postgres: string;
}

/** The schema of a database: the statements that create it, and those that upgrade earlier versions. */
export interface Schema {
  /** Creates the newest schema in an empty database. */
  readonly create: Statements;
  /**
   * All migrations by name, applied in the order of their names. A database of the newest schema has had all of them.
   * Statements run in databases that lack the migration. A database that lacks one without statements is too old.
   */
  readonly migrations: Readonly<Record<string, Statements | undefined>>;
  /** Runs after the migrations, in the same transaction; not called if there were none. */
  after?(transaction: QueryExecutorProvider): Promise<void>;
}

/** The error for a database whose schema was created by a newer botctl. */
export class NewerSchema extends Error {
  /**
   * @param migration a migration that this version does not contain
   * @param neededVersion the version of botctl that created it, if the database stores it
   */
  constructor(
    readonly migration: string,
    readonly neededVersion?: string | undefined,
  ) {
    super(`it has had the migration ${migration}, which this version doesn't have`);
  }
}

/** The error for a database that lacks a migration whose statements this version no longer contains. */
export class OlderSchema extends Error {
  constructor(readonly migration: string) {
    super(`it has not had the migration ${migration}, which this version can't do`);
  }
}

/** Matches one statement in a text of several. */
const statementText = /(?:\$\$[\s\S]*?\$\$|(?!;\s*\n)[\s\S])+/g;

/** The advisory lock for migrations, in every database of botctl. */
const migrationLock = 1;

/** Which part of a schema a database has: nothing, some of its migrations, or all. */
export type SchemaState = 'none' | 'older' | 'newest';

/**
 * Returns which part of a schema a database has.
 * @throws NewerSchema
 * @throws OlderSchema
 * @throws DatabaseError
 */
export async function schemaState<T>(database: Database<T>, schema: Schema): Promise<SchemaState> {
  if (!(await database.hasTable(migrationTable))) return 'none';
  return stateOf(await migrationsIn(database, database.db), schema);
}

/**
 * Returns which part of a schema a database has.
 * @param applied names of the migrations applied to it
 * @throws NewerSchema
 * @throws OlderSchema
 */
export function stateOf(applied: readonly string[], { migrations }: Schema): SchemaState {
  if (applied.length === 0) return 'none';
  return missingOf(applied, migrations).length === 0 ? 'newest' : 'older';
}

/**
 * Upgrades a database to the newest schema in one transaction; creates the schema in an empty one. Other processes that
 * migrate wait.
 * @throws NewerSchema
 * @throws OlderSchema
 * @throws DatabaseError
 */
export async function migrate<T>(database: Database<T>, wanted: Schema): Promise<void> {
  const { create, migrations } = wanted;
  const { db, engine, schema } = database;
  // A user without the privilege to create tables can then use existing ones, and a start waits for no lock.
  if ((await schemaState(database, wanted)) === 'newest') return;
  await db.transaction().execute(async (transaction) => {
    await database.lock(transaction, migrationLock);
    if (schema !== undefined) await sql`set local search_path = ${sql.id(schema)}`.execute(transaction);
    // PostgreSQL may still report a table as missing that another process has just created.
    await sql`create table if not exists ${names(database)}
      (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(transaction);
    const had = await migrationsIn(database, transaction);
    const missing = missingOf(had, migrations);
    const steps: readonly Statements[] =
      had.length === 0 ? [create] : missing.flatMap((name) => ownMember(migrations, name) ?? []);
    for (const step of steps) {
      for (const [statement] of step[engine].matchAll(statementText)) {
        if (statement.trim() !== '') await sql.raw(statement).execute(transaction);
      }
    }
    if (missing.length > 0) await wanted.after?.(transaction);
    const timestamp = new Date().toISOString();
    for (const name of missing) {
      await sql`insert into ${names(database)} (name, timestamp) values (${name}, ${timestamp})`.execute(
        transaction,
      );
    }
  });
}

/** The table of applied migrations. Earlier versions of botctl let kysely's Migrator maintain it. */
export const migrationTable = 'kysely_migration';

function names<T>({ schema }: Database<T>): RawBuilder<unknown> {
  return schema === undefined ? sql.id(migrationTable) : sql.id(schema, migrationTable);
}

async function migrationsIn<T>(database: Database<T>, db: Kysely<T>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${names(database)}`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Returns the names of the migrations that are missing.
 * @throws NewerSchema
 * @throws OlderSchema
 */
function missingOf(applied: readonly string[], migrations: Schema['migrations']): readonly string[] {
  const newer = applied.find((name) => !Object.hasOwn(migrations, name));
  if (newer !== undefined) throw new NewerSchema(newer);
  const missing = namesOf(migrations).filter((name) => !applied.includes(name));
  const tooOld = missing.find((name) => ownMember(migrations, name) === undefined);
  if (applied.length > 0 && tooOld !== undefined) throw new OlderSchema(tooOld);
  return missing;
}

/**
 * Returns the names of the migrations of a schema, in order. The name of the first one is unique among all schemas.
 */
export function namesOf(migrations: Schema['migrations']): readonly string[] {
  return Object.keys(migrations).sort();
}

/**
 * The names of column types, for each engine. SQLite's are declared so that the driver can convert results by them.
 */
const typeNames = {
  sqlite: {
    uuid: 'text',
    time: 'integer_time',
    json: 'text_json',
    blob: 'blob',
    bigint: 'integer',
    double: 'real',
    counter: 'integer primary key autoincrement',
    bytewise: '',
  },
  postgres: {
    uuid: 'uuid',
    time: 'timestamptz(3)',
    json: 'jsonb',
    blob: 'bytea',
    bigint: 'bigint',
    double: 'double precision',
    counter: 'bigint generated by default as identity primary key',
    bytewise: 'collate "C"',
  },
} as const;

/** Returns a text as statements for both engines. Placeholders such as `{uuid}` are replaced by the names of types. */
export function statementsForBoth(text: string): Statements {
  const of = (types: Readonly<Record<string, string>>): string =>
    text.replace(/\{(\w+)\}/g, (placeholder, name: string) => ownMember(types, name) ?? placeholder);
  return { sqlite: of(typeNames.sqlite), postgres: of(typeNames.postgres) };
}
