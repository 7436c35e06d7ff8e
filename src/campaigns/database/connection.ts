import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import { DatabaseError, isAway } from '../../database/error.ts';
import { databaseFailure } from '../../database/failure.ts';
import { requirePackage, serverPackage } from '../../database/packages.ts';
import { type Patience, serverPool } from '../../database/pool.ts';
import { type FoundSchema, findSchema, prepareSchema } from '../../database/schema.ts';
import { unverifiedWarning } from '../../database/tls.ts';
import { shownDatabase } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { campaignVariable, type NamedDatabase } from '../../settings/database.ts';
import { schema } from './schema.ts';

/** What each session begins with: an answer is to mean that what was written is on the disk. */
const begin = ['set synchronous_commit = on'];

/** Milliseconds that a session is kept which nobody uses: a line is short. */
const idleMs = 1000;

/** Milliseconds between two tries of what has to be written; they grow up to the longest. */
const [firstPauseMs, longestPauseMs] = [250, 5000];

/** The time by which all hosts go. */
export const now = sql`(clock_timestamp() + (select clock_offset from campaign_clock))`;

/** Returns an instant of the database as milliseconds since 1970. */
export function millisecondsOf(instant: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${instant}) * 1000)::float8`;
}

/** A database that campaigns are kept in. */
export interface CampaignDatabase {
  readonly db: Kysely<unknown>;
  /** The database, as it is shown. */
  readonly name: string;
  /** True if it has the tables of campaigns: one where nothing was ever kept is empty. */
  hasTables(): Promise<boolean>;
  /**
   * Makes the tables of campaigns where there are none.
   * @throws Failure as `connectDatabase`
   */
  makeTables(): Promise<void>;
  /** Says something to a person. */
  tell(text: string): void;
  /**
   * What tells the server's data from what a standby or a backup has: where it is, and its timeline, which another server that
   * takes over, or a backup that is brought back, counts on.
   */
  readonly server: RawBuilder<string>;
  /**
   * Does work in a transaction that may last.
   * @param patience `fed` where the work waits for what somebody else gives: one is ended otherwise in which nothing happens for
   * a minute
   */
  longTransaction<T>(work: (step: Kysely<unknown>) => Promise<T>, patience?: 'endless' | 'fed'): Promise<T>;
  /**
   * Does work, and says of a database that failed what a person can do.
   * @throws Failure `network` where the server can't be reached, else `invalidInput`; and whatever else the work throws
   */
  asked<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Does work again and again until the database takes it: what came of a message is known to nobody else.
   * @param what what waits to be written, as a part of a sentence
   */
  untilTaken<T>(what: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Connects with a database. An empty one stays so, and the tables of an earlier botctl are brought to the newest step.
 * @param tell says something to a person
 * @throws Failure `network` if the server can't be reached, `invalidInput` if it refuses, or holds other things
 */
export async function connectDatabase(
  address: NamedDatabase,
  tell: (text: string) => void,
): Promise<CampaignDatabase> {
  requirePackage(serverPackage, '--database');
  const warning = unverifiedWarning(address.url);
  if (warning !== undefined) tell(warning);
  const name = shownDatabase(address.url);
  const connect = (patience: Patience): Kysely<unknown> => sessionsOf(address, patience);
  const asked = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw failureOf(error, address.url);
    }
  };
  const lastingly = async <T>(
    work: (db: Kysely<unknown>) => Promise<T>,
    patience: Patience = 'endless',
  ): Promise<T> => {
    const patient = connect(patience);
    return asked(() => work(patient)).finally(() => patient.destroy());
  };
  const bringTables = (): Promise<void> => lastingly((patient) => prepareSchema(patient, name, schema));
  const db = connect('short');
  const findState = async () => (await asked(() => findSchema(db, name, schema))).state;
  const state = await findState();
  if (state === 'older') await bringTables();
  let hasTables = state !== 'none';
  return {
    db,
    name,
    async hasTables() {
      // Another host may have made them since.
      hasTables ||= (await findState()) !== 'none';
      return hasTables;
    },
    async makeTables() {
      if (!hasTables) await bringTables();
      hasTables = true;
    },
    tell,
    server: await asked(() => serverOf(db)),
    asked,
    longTransaction: (work, patience) =>
      lastingly((patient) => patient.transaction().execute(work), patience),
    async untilTaken(what, work) {
      for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof DatabaseError) || isRefusal(error))
            throw databaseFailure(error, address.url, campaignVariable);
          if (pause === firstPauseMs)
            tell(`${name} doesn't take ${what}: ${error.message}. Trying until it does.`);
          await wait(pause);
        }
      }
    },
  };
}

/**
 * Looks for a few seconds at a database, and changes nothing there. Returns what it has of campaigns.
 * @throws Failure as `connectDatabase`
 */
export async function lookAtDatabase(address: NamedDatabase): Promise<FoundSchema> {
  requirePackage(serverPackage, '--database');
  const name = shownDatabase(address.url);
  const db = sessionsOf(address, 'brief');
  try {
    return await findSchema(db, name, schema);
  } catch (error) {
    throw failureOf(error, address.url);
  } finally {
    await db.destroy();
  }
}

function sessionsOf({ url, password }: NamedDatabase, patience: Patience): Kysely<unknown> {
  return new Kysely({
    dialect: new PostgresDialect({ pool: serverPool(url, password, patience, begin, idleMs) }),
  });
}

/** Returns what to throw for an error: of a database that failed it says what a person can do. */
function failureOf(error: unknown, url: URL): unknown {
  const name = shownDatabase(url);
  if (error instanceof DatabaseError && takesNobody.test(error.message))
    return new Failure('invalidInput', `${name} can't be used: ${error.message}.`, {
      hint: schema.ownDatabase,
      cause: error,
    });
  if (error instanceof DatabaseError && notNow.includes(error.code ?? '')) {
    return new Failure('network', `${name} takes nothing at the moment: ${error.message}.`, {
      hint: 'It may be a standby, or full: see what its server says.',
      cause: error,
    });
  }
  return databaseFailure(error, url, campaignVariable);
}

/** What is said of a database that nobody may connect with, as the template template0; the code stands for more than that. */
const takesNobody = /is not currently accepting connections/;

/** PostgreSQL's codes for a server that only reads now or recovers, whose disk or memory is full, or whose database goes. */
const notNow = ['25006', '55000', '53100', '53200', '53400', '58030', '57P04', 'XX000'];

/** PostgreSQL's codes for what waited too long for others, and what took too long or was ended. */
const passing = ['55P03', '57014', '40001', '40P01', ...notNow];

/** True if what failed may succeed later. */
export function mayPass(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && (isAway(error) || passing.includes(error.code ?? ''));
}

/** True for what the database would refuse each time: a value, a rule of the schema, a statement that it doesn't know. */
function isRefusal({ code = '' }: DatabaseError): boolean {
  return /^(?:22|23|42)/.test(code) && code.length === 5;
}

/** Where the server may not be asked for its timeline, a change of that is not noticed. */
async function serverOf(db: Kysely<unknown>): Promise<RawBuilder<string>> {
  const place = sql`(select oid::text from pg_database where datname = current_database())`;
  const cluster = sql`(select system_identifier::text from pg_control_system())`;
  const timeline = sql`substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;
  const parts = [place];
  for (const part of [cluster, timeline]) {
    const isTold = await sql`select ${part}`.execute(db).then(
      () => true,
      (error: unknown) => {
        if (mayPass(error)) throw error;
        return false;
      },
    );
    if (isTold) parts.push(part);
  }
  return sql<string>`concat_ws('/', ${sql.join(parts)})`;
}
