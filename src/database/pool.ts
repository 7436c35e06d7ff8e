import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresCursor, PostgresPool, PostgresPoolClient } from 'kysely';
import type { PoolClient, PoolConfig, QueryResult } from 'pg';
import { errorCode, messageOf } from '../lib/errors.ts';
import { checkParameter, DatabaseError, failedTransactionError, isUnavailable } from './error.ts';
import { requireOptional } from './packages.ts';
import { withProtection } from './tls.ts';

/** Sessions of a process, at most. */
const maxSessions = 10;

/** Milliseconds that a call waits for a session. */
const connectTimeout = 10_000;

/** Milliseconds that a statement may take. */
export const statementTimeout = 30_000;

/** Milliseconds after which a transaction ends in which nothing happens: a process that vanished without a word leaves its locks. */
const idleInTransaction = 60_000;

/** How long a session waits, in milliseconds. */
const patiences = {
  /** For what requests ask. */
  short: {
    statement_timeout: statementTimeout,
    lock_timeout: 10_000,
    // A connection that is dead without a word, as where a cable was cut, gives no answer by itself.
    query_timeout: statementTimeout + 5000,
    idle_in_transaction_session_timeout: idleInTransaction,
  },
  /** For a look whether a database is there. */
  brief: {
    connectionTimeoutMillis: 4000,
    statement_timeout: 4000,
    lock_timeout: 4000,
    query_timeout: 5000,
  },
  /** For statements that take as long as they take, one after the other. */
  endless: { idle_in_transaction_session_timeout: idleInTransaction },
} satisfies Record<string, PoolConfig>;

export type Patience = keyof typeof patiences;

/** A user, a database or a server may set limits that are meant for short statements; `pg_dump` lifts them too. */
const withoutLimits = ['set statement_timeout = 0', 'set lock_timeout = 0'];

/** A password that shows itself only when it is asked to. */
export interface Password {
  reveal(): string;
}

/** Milliseconds in which sessions end, if their server answers. */
const closeTimeoutMs = 2000;

/** PostgreSQL's number of the type int8. */
const int8 = 20;

/**
 * Returns sessions of a PostgreSQL server, by `pg`, whose package has to be installed. A session that broke is replaced
 * at the next call. No password in any form is sent before TLS, unless `protectionOf` the address is `plain`. Errors are
 * those of a database: see `DatabaseError`.
 * @param begin the statements that each new session runs before any other; one that fails refuses the session
 * @param idleMs how long an idle session is kept, in milliseconds; none keeps the process from ending
 */
export function serverPool(
  url: URL,
  password: Password | undefined,
  patience: Patience,
  begin: readonly string[] = [],
  idleMs = 10_000,
): PostgresPool {
  // A bundle that was compiled earlier imports nothing.
  const pg: typeof import('pg') = requireOptional()('pg');
  const whole = withProtection(url);
  // The address of a socket has no other place for it.
  if (password) whole.searchParams.set('password', password.reveal());
  const limits = patience === 'endless' ? withoutLimits : [];
  const pool = new pg.Pool({
    connectionString: whole.href,
    max: maxSessions,
    connectionTimeoutMillis: connectTimeout,
    ...patiences[patience],
    keepAlive: true,
    idleTimeoutMillis: idleMs,
    allowExitOnIdle: true,
    async onConnect(client) {
      for (const statement of [...limits, ...begin]) await client.query(statement);
    },
    fallback_application_name: 'botctl',
    types: {
      // Texts by default, since they may be larger than a number can be.
      getTypeParser: (type, format) => (type === int8 ? Number : pg.types.getTypeParser(type, format)),
    },
  });
  // An idle session has ended, as when the server does.
  pool.on('error', () => undefined);
  return {
    async connect() {
      try {
        return new ServerSession(await pool.connect());
      } catch (error) {
        // It throws at once where a file of certificates can't be read.
        throw databaseError(error);
      }
    },
    end: () => Promise.race([pool.end(), wait(closeTimeoutMs, undefined, { ref: false })]),
  };
}

/** The statements that begin and end a transaction. */
const transactionBounds = /^(?:begin|start transaction|commit|rollback)\b/;

/** Runs one statement after the other, without cursors, as the query builder wants it. */
class ServerSession implements PostgresPoolClient {
  readonly #client: PoolClient;
  #isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
    // Between two statements nothing else would hear of its end, and the next statement does.
    client.on('error', ignore);
  }

  query<R>(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<{ command: 'SELECT'; rowCount: number; rows: R[] }>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(sql: string | PostgresCursor<unknown>, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string') throw new TypeError('rows are read in pages');
    return this.#run(sql, parameters);
  }

  async #run(sql: string, parameters: readonly unknown[]): Promise<QueryResult> {
    parameters.forEach(checkParameter);
    const result = await this.#client.query(sql, [...parameters]).catch((error: unknown) => {
      const failure = databaseError(error);
      // Its transaction may still be open, and its connection may be dead.
      this.#isBroken ||= isUnavailable(failure) || transactionBounds.test(sql);
      throw failure;
    });
    // PostgreSQL answers so to the commit of a transaction in which a statement failed and was ignored.
    if (sql === 'commit' && result.command === 'ROLLBACK')
      throw failedTransactionError('the transaction was rolled back instead of committed');
    return result;
  }

  /** Makes way for another one if it broke. */
  release(): void {
    this.#client.off('error', ignore);
    this.#client.release(this.#isBroken);
  }
}

function ignore(): void {}

/** What `pg` throws: PostgreSQL's error, the system's, or one for each address of a host. */
function databaseError(thrown: unknown): DatabaseError {
  const error: unknown = thrown instanceof AggregateError ? (thrown.errors[0] ?? thrown) : thrown;
  return new DatabaseError(messageOf(error), errorCode(error));
}
