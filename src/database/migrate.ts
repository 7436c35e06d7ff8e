import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { ownMember } from '../lib/json-object.ts';
import type { Database } from './open.ts';

/** Statements for each engine, separated by `;` at the end of a line. In the body of a function, between `$$`, it separates none. */
export interface Statements {
  readonly sqlite: string;
  readonly postgres: string;
}

/** What brings a database from the migration before to this one. */
export interface Migration extends Statements {
  /** Does what statements can't, in the transaction after them. */
  after?(transaction: QueryExecutorProvider): Promise<void>;
}

/** The schema of a database: what creates it, and what brings earlier ones to it. */
export interface Schema {
  /** Creates the newest schema in an empty database. */
  readonly create: Statements;
  /**
   * The migrations that a database of the newest schema has had, by name and in the order of their names. The statements run
   * in databases that lack them. A database that lacks one without statements is too old.
   */
  readonly migrations: Readonly<Record<string, Migration | undefined>>;
  /** Runs in the transaction of the migrations, after them; not if there were none to run. */
  after?(transaction: QueryExecutorProvider): Promise<void>;
}

/** A newer botctl made the schema of a database. */
export class NewerSchema extends Error {
  /**
   * @param migration one that this version doesn't have
   * @param neededVersion the version of botctl that made it, if the database says so
   */
  constructor(
    readonly migration: string,
    readonly neededVersion?: string | undefined,
  ) {
    super(`it has had the migration ${migration}, which this version doesn't have`);
  }
}

/** A database has not had a migration that this version doesn't have the statements of any more. */
export class OlderSchema extends Error {
  constructor(readonly migration: string) {
    super(`it has not had the migration ${migration}, which this version can't do`);
  }
}

/** A statement in a text of several. */
const statementText = /(?:\$\$[\s\S]*?\$\$|(?!;\s*\n)[\s\S])+/g;

/** The advisory lock of migrations, in every database of ours. */
const migrationLock = 1;

/** What a database has of a schema: nothing, some of its migrations, or all. */
export type SchemaState = 'none' | 'older' | 'newest';

/**
 * Returns what a database has of a schema.
 * @throws NewerSchema
 * @throws OlderSchema
 * @throws DatabaseError
 */
export async function schemaState<T>(database: Database<T>, schema: Schema): Promise<SchemaState> {
  if (!(await database.hasTable(migrationTable))) return 'none';
  return stateOf(await migrationsIn(database, database.db), schema);
}

/**
 * Returns what a database has of a schema.
 * @param applied the migrations that it has had
 * @throws NewerSchema
 * @throws OlderSchema
 */
export function stateOf(applied: readonly string[], { migrations }: Schema): SchemaState {
  if (applied.length === 0) return 'none';
  return missingOf(applied, migrations).length === 0 ? 'newest' : 'older';
}

/**
 * Brings a database to the newest schema, in one transaction; an empty one is given it. Other processes that migrate wait.
 * @throws NewerSchema
 * @throws OlderSchema
 * @throws DatabaseError
 */
export async function migrate<T>(database: Database<T>, wanted: Schema): Promise<void> {
  const { create, migrations } = wanted;
  const { db, engine, schema } = database;
  // A user who may not create tables can use those that are there, and a start waits for no lock.
  if ((await schemaState(database, wanted)) === 'newest') return;
  await db.transaction().execute(async (transaction) => {
    await database.lock(transaction, migrationLock);
    if (schema !== undefined) await sql`set local search_path = ${sql.id(schema)}`.execute(transaction);
    // PostgreSQL may still answer that a table is missing which the process before has just created.
    await sql`create table if not exists ${names(database)}
      (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(transaction);
    const had = await migrationsIn(database, transaction);
    const missing = missingOf(had, migrations);
    const steps: readonly Migration[] =
      had.length === 0 ? [create] : missing.flatMap((name) => ownMember(migrations, name) ?? []);
    for (const step of steps) {
      for (const [statement] of step[engine].matchAll(statementText)) {
        if (statement.trim() !== '') await sql.raw(statement).execute(transaction);
      }
      await step.after?.(transaction);
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

/** The table of the migrations that a database has had. Earlier versions let kysely's Migrator keep it. */
export const migrationTable = 'kysely_migration';

function names<T>({ schema }: Database<T>): RawBuilder<unknown> {
  return schema === undefined ? sql.id(migrationTable) : sql.id(schema, migrationTable);
}

async function migrationsIn<T>(database: Database<T>, db: Kysely<T>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${names(database)}`.execute(db);
  return rows.map(({ name }) => name);
}

/**
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

/** Returns the names of the migrations of a schema, in their order; that of the first one belongs to no other schema. */
export function namesOf(migrations: Schema['migrations']): readonly string[] {
  return Object.keys(migrations).sort();
}

/** The names of the types of columns, for each engine. SQLite's are declared so that the driver converts results by them. */
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

/** Returns the statements of one text for both engines: `{uuid}` and the like stand for the names of types. */
export function statementsForBoth(text: string): Statements {
  const of = (types: Readonly<Record<string, string>>): string =>
    text.replace(/\{(\w+)\}/g, (placeholder, name: string) => ownMember(types, name) ?? placeholder);
  return { sqlite: of(typeNames.sqlite), postgres: of(typeNames.postgres) };
}
