import { setTimeout as wait } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { DatabaseError, isUnavailable } from '../../database/error.ts';
import { databaseFailure, fileFailure } from '../../database/failure.ts';
import { migrate, type SchemaState } from '../../database/migrate.ts';
import { openFile } from '../../database/open.ts';
import { migrateServerDatabase, openServerDatabase } from '../../database/server-database.ts';
import { unverifiedWarning } from '../../database/tls.ts';
import type { Clock } from '../../lib/clock.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { NamedDatabase } from '../../settings/database-name.ts';
import { statsAt } from '../earlier-files.ts';
import type { CampaignDatabase, OpenDatabase } from './database.ts';
import { campaignFile } from './file.ts';
import { campaignSchema, sessionBegin } from './schema.ts';
import type { Tables } from './tables.ts';

/** A database, and whether anything was stored there when it was opened. */
export interface OpenedDatabase extends CampaignDatabase {
  readonly isNew: boolean;
}

/** Milliseconds between two attempts of a write. The pause grows from the first to the longest. */
const [firstPauseMs, longestPauseMs] = [250, 5000];

/** How long a write is still retried after the signal aborts, in milliseconds. */
const retryAfterSignalMs = 5000;

/** How long an idle connection to a server is kept open, in milliseconds. A command is short. */
const idleMs = 1000;

/**
 * Returns the campaign database of this machine. Its file is opened at the first call; the first write creates a
 * missing one.
 * @param data the directory of botctl's data
 */
export function openOnMachine(
  data: string,
  clock: Pick<Clock, 'now'>,
  warn: (text: string) => void,
): OpenedDatabase {
  const file = campaignFile(data);
  const openOne = async (): Promise<OpenDatabase> => {
    const database = await openFile<Tables>(file, {
      isShared: true,
      user: 'The store of campaigns and opt-outs',
    });
    await migrate(database, campaignSchema);
    return {
      ...database,
      get now() {
        return sql<number>`${clock.now()}`;
      },
      server: sql<string>`''`,
    };
  };
  let opening: Promise<OpenDatabase> | undefined;
  const open = (): Promise<OpenDatabase> => {
    opening ??= openOne().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const isNew = statsAt(file) === undefined;
  return {
    ...createAccess({
      name: file,
      find: async () => (opening || statsAt(file) ? open() : undefined),
      create: open,
      failureOf: (error) => fileFailure(error, file),
      warn,
    }),
    place: 'on this machine',
    isNew,
  };
}

/**
 * Connects to the database on a server, which several hosts may share. The first write creates the tables of an empty
 * one.
 * @throws Failure `network` if the server can't be reached; `invalidInput` if it refuses, if the database has other
 *   contents, or if an earlier version created it, which other hosts may still run
 */
export async function openOnServer(
  address: NamedDatabase,
  warn: (text: string) => void,
  signal?: AbortSignal,
): Promise<OpenedDatabase> {
  const warning = unverifiedWarning(address.url);
  if (warning !== undefined) warn(warning);
  const name = databaseLabel(address.url);
  const { state, ...database } = await openServerDatabase<Tables>(address, campaignSchema, {
    patience: 'short',
    begin: sessionBegin,
    idleMs,
    signal,
  });
  if (state === 'older') {
    await database.close();
    throw new Failure('invalidInput', `${name} has the tables of an earlier version of botctl.`, {
      hint: remark`When no host runs that version any more: ${command('campaigns', 'migrate', '--database', address.url.href)}`,
    });
  }
  const failureOf = (error: unknown) => databaseFailure(error, address.url, campaignSchema.variable);
  const opened: OpenDatabase = {
    ...database,
    server: await identifyServer(database).catch((error: unknown) => {
      throw failureOf(error);
    }),
  };
  let hasTables = state !== 'none';
  return {
    ...createAccess({
      name,
      async find() {
        // Another host may have created the tables since.
        hasTables ||= await database.hasTable('campaigns');
        return hasTables ? opened : undefined;
      },
      async create() {
        if (!hasTables) await migrateServerDatabase(address, campaignSchema, sessionBegin, signal);
        hasTables = true;
        return opened;
      },
      failureOf,
      warn,
    }),
    place: `in ${name}`,
    isNew: !hasTables,
  };
}

/**
 * Reads the state of the campaign tables in a database on a server, and the server's version. It changes nothing, and
 * waits only a few seconds for the server.
 * @throws Failure as `openOnServer`
 */
export async function inspectServer(
  address: NamedDatabase,
): Promise<{ readonly state: SchemaState; readonly version: string }> {
  const { state, version, close } = await openServerDatabase<Tables>(address, campaignSchema, {
    patience: 'brief',
  });
  await close();
  return { state, version };
}

interface Opening {
  readonly name: string;
  /** Opens it for reading; undefined if nothing was ever stored there. */
  find(): Promise<OpenDatabase | undefined>;
  /** Opens it for writing. */
  create(): Promise<OpenDatabase>;
  /** Returns the error to throw for a caught one. */
  failureOf(error: unknown): unknown;
  warn(text: string): void;
}

function createAccess({ name, find, create, failureOf, warn }: Opening): Omit<CampaignDatabase, 'place'> {
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw failureOf(error);
    }
  };
  return {
    name,
    warn,
    read: (work, nothing) =>
      attempt(async () => {
        const database = await find();
        return database === undefined ? nothing : work(database);
      }),
    write: (work) => attempt(async () => work(await create())),
    transaction: (work) =>
      attempt(async () => {
        const database = await create();
        return database.db.transaction().execute((trx) => work(trx, database));
      }),
    async retryWrite(what, signal, work) {
      let end = Number.POSITIVE_INFINITY;
      for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
        try {
          return await work(await create());
        } catch (error) {
          if (!(error instanceof DatabaseError) || isRefusal(error)) throw failureOf(error);
          if (signal.aborted) end = Math.min(end, performance.now() + retryAfterSignalMs);
          if (performance.now() >= end) {
            warn(`${name} could not store ${what}.`);
            throw failureOf(error);
          }
          if (pause === firstPauseMs)
            warn(`${name} can't store ${what}: ${error.message}. Retrying until it can.`);
          await wait(pause);
        }
      }
    },
  };
}

/**
 * Returns whether the database would refuse the same statement again: an invalid value, a constraint, or an unknown
 * statement.
 */
function isRefusal({ kind, code }: DatabaseError): boolean {
  if (['unique', 'foreignKey', 'notNull', 'check', 'corrupt', 'moved'].includes(kind)) return true;
  return kind === 'other' && (code === undefined || /^(?:22|23|42)/.test(code));
}

/** PostgreSQL's error codes for missing privileges and for a function that the server does not support. */
const undisclosedCodes = /^(?:42|0A)/;

/**
 * Returns an expression that identifies the data of a server: the database, its cluster and its timeline, which
 * increases when a standby takes over or a backup is restored. Parts that the server does not disclose are left out.
 */
async function identifyServer({ db }: Pick<OpenDatabase, 'db'>): Promise<RawBuilder<string>> {
  const parts = [sql`(select oid::text from pg_database where datname = current_database())`];
  const cluster = sql`(select system_identifier::text from pg_control_system())`;
  const timeline = sql`substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;
  for (const part of [cluster, timeline]) {
    try {
      await sql`select ${part}`.execute(db);
      parts.push(part);
    } catch (error) {
      if (
        !(error instanceof DatabaseError) ||
        isUnavailable(error) ||
        !undisclosedCodes.test(error.code ?? '')
      )
        throw error;
    }
  }
  return sql<string>`concat_ws('/', ${sql.join(parts)})`;
}
