import { type Kysely, sql } from 'kysely';
import { Failure } from '../lib/errors.ts';
import { type Migrations, NewerSchema } from './migrations.ts';
import { inTurn, schemaTurn } from './turn.ts';

/** The oldest PostgreSQL that the statements are written for, by its `server_version_num`. */
const oldestVersion = 150_000;

/** What a database says of itself. */
interface Server {
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  /** True if the server makes new databases of it. */
  readonly is_template: boolean;
}

/** What botctl keeps in a database that it has for that alone. */
export interface Schema {
  /** Its steps; no other schema's first one has the same name. */
  readonly migrations: Migrations;
  /** Who it is for, with the verb: "campaigns need". */
  readonly needs: string;
  /** What to do about a database that others use. */
  readonly ownDatabase: string;
  /**
   * Makes what the first step counts on, in an empty database.
   * @param name the database, as it is shown
   */
  before?(session: Kysely<unknown>, name: string): Promise<void>;
}

/**
 * Brings the schema of a database on a server to its newest step; an empty database is given it. Others who open the
 * database wait for that.
 * @param db ends nothing that takes long: indexes of what is there already may, and so may another process that was faster
 * @param name the database, as it is shown
 * @throws Failure `invalidInput` if the database isn't for this botctl; nothing was changed then
 */
export async function prepareSchema(db: Kysely<unknown>, name: string, schema: Schema): Promise<void> {
  checkServer(await describe(db), name, schema);
  await db.connection().execute(async (session) => {
    await inTurn(session, schemaTurn, async () => {
      if (!(await ourSteps(session, name, schema))) await schema.before?.(session, name);
      await schema.migrations.migrateToLatest(session);
    });
  });
}

/** What a database has of a schema: nothing, some of its steps, or all; and the version of its server. */
export interface FoundSchema {
  readonly state: 'none' | 'older' | 'newest';
  readonly version: string;
}

/**
 * Returns what a database on a server has of a schema, and changes nothing there.
 * @param name the database, as it is shown
 * @throws Failure `invalidInput` if the database isn't for this botctl
 */
export async function findSchema(db: Kysely<unknown>, name: string, schema: Schema): Promise<FoundSchema> {
  const { version } = checkServer(await describe(db), name, schema);
  const { first, last } = schema.migrations;
  return db.connection().execute(async (session) => {
    const isThere = (await stepsOf(session))?.includes(first);
    const find = () => ourSteps(session, name, schema);
    // Another process may be making it at this moment.
    const steps = isThere ? await find() : await inTurn(session, schemaTurn, find);
    if (steps === undefined) return { state: 'none', version };
    return { state: steps.includes(last) ? 'newest' : 'older', version };
  });
}

async function describe(db: Kysely<unknown>): Promise<Server | undefined> {
  const settings = sql<Server>`select current_setting('server_version_num')::int as number,
    current_setting('server_version') as version, current_setting('server_encoding') as encoding,
    (select datistemplate from pg_database where datname = current_database()) as is_template`;
  return (await settings.execute(db)).rows[0];
}

function checkServer(server: Server | undefined, name: string, { needs, ownDatabase }: Schema): Server {
  if (server === undefined) throw new TypeError('the server has no version');
  if (server.number < oldestVersion) {
    throw new Failure('invalidInput', `${name} is on PostgreSQL ${server.version}; ${needs} 15 or newer.`);
  }
  if (server.encoding !== 'UTF8') {
    throw new Failure('invalidInput', `${name} has the encoding ${server.encoding}; ${needs} UTF8.`, {
      hint: 'Make another database: create database … encoding UTF8 template template0',
    });
  }
  if (server.is_template) {
    throw new Failure('invalidInput', `${name} is a template: what is in it would be in each new database.`, {
      hint: ownDatabase,
    });
  }
  return server;
}

/** Returns the steps that a schema has had; undefined if nobody has counted any. */
async function stepsOf(session: Kysely<unknown>): Promise<readonly string[] | undefined> {
  const table = sql<{ found: boolean }>`select to_regclass('kysely_migration') is not null as found`;
  if (!(await table.execute(session)).rows[0]?.found) return undefined;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(session);
  return rows.map(({ name }) => name);
}

/** Returns the steps that a database has had of the schema, or undefined if it is empty. */
async function ourSteps(
  session: Kysely<unknown>,
  name: string,
  schema: Schema,
): Promise<readonly string[] | undefined> {
  const { migrations } = schema;
  const steps = await stepsOf(session);
  // Others use the library that counts the steps too.
  if (!steps?.includes(migrations.first)) {
    await refuseForeign(session, steps, name, schema);
    return undefined;
  }
  const newer = steps.find((step) => !migrations.has(step));
  if (newer === undefined) return steps;
  throw new NewerSchema(newer).asFailure(name, 'Use that botctl, or a database of its own for this one.');
}

/** @throws Failure if there is a table that is neither of an extension nor of a start that broke off before its first step */
async function refuseForeign(
  session: Kysely<unknown>,
  steps: readonly string[] | undefined,
  name: string,
  { ownDatabase }: Schema,
): Promise<void> {
  const begun =
    steps?.length === 0 ? ['kysely_migration', 'kysely_migration_lock'] : ['kysely_migration_lock'];
  const others = sql<{ relname: string }>`select relname from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    and relname not in (${sql.join(begun)}) limit 1`;
  const foreign = (await others.execute(session)).rows[0]?.relname;
  if (foreign === undefined) return;
  throw new Failure('invalidInput', `${name} holds other things, such as the table ${foreign}.`, {
    hint: ownDatabase,
  });
}
