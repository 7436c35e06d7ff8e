import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresCursor, PostgresPool, PostgresPoolClient } from 'kysely';
import type { PoolClient, PoolConfig, QueryResult } from 'pg';
import { errorCode, messageOf } from '../lib/errors.ts';
import { checkParameter, DatabaseError, failedTransactionError, isUnavailable } from './error.ts';
import { requireOptional } from './packages.ts';
import { withProtection } from './tls.ts';

/** The maximum number of sessions of a process. */
const maxSessions = 10;

/** The timeout of waiting for a session, in milliseconds. */
const connectTimeout = 10_000;

/** The timeout of a statement, in milliseconds. */
export const statementTimeout = 30_000;

/**
 * Milliseconds after which the server ends an idle transaction: a process that vanished silently would otherwise keep
 * its locks.
 */
const idleInTransaction = 60_000;

/** The timeouts of sessions, in milliseconds. */
const patiences = {
  /** For requests. */
  short: {
    statement_timeout: statementTimeout,
    lock_timeout: 10_000,
    // A connection that died silently, such as a cut cable, never reports an error.
    query_timeout: statementTimeout + 5000,
    idle_in_transaction_session_timeout: idleInTransaction,
  },
  /** For checking whether a database is reachable. */
  brief: {
    connectionTimeoutMillis: 4000,
    statement_timeout: 4000,
    lock_timeout: 4000,
    query_timeout: 5000,
  },
  /** For sequential statements without time limit. */
  endless: { idle_in_transaction_session_timeout: idleInTransaction },
} satisfies Record<string, PoolConfig>;

export type Patience = keyof typeof patiences;

/** A user, a database or a server may have limits intended for short statements; `pg_dump` lifts them too. */
const withoutLimits = ['set statement_timeout = 0', 'set lock_timeout = 0'];

/** A password that must be revealed explicitly. */
export interface Password {
  reveal(): string;
}

/** The timeout of closing the sessions, in milliseconds. */
const closeTimeoutMs = 2000;

/** PostgreSQL's type number of int8. */
const int8 = 20;

/**
 * Returns a pool of PostgreSQL sessions, using the package `pg`, which must be installed. A broken session is replaced
 * at the next call. No password in any form is sent before TLS, unless `protectionOf` the address is `plain`. Errors
 * are converted to `DatabaseError`.
 * @param begin statements that each new session runs first; if one fails, the session is rejected
 * @param idleMs milliseconds after which an idle session is closed; idle sessions don't keep the process alive
 */
export function serverPool(
  url: URL,
  password: Password | undefined,
  patience: Patience,
  begin: readonly string[] = [],
  idleMs = 10_000,
): PostgresPool {
  // Bundles compiled earlier can't import modules.
  const pg: typeof import('pg') = requireOptional()('pg');
  const whole = withProtection(url);
  // The address of a socket has no other place for the password.
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
      // By default `pg` returns text, since an int8 may exceed the range of a number.
      getTypeParser: (type, format) => (type === int8 ? Number : pg.types.getTypeParser(type, format)),
    },
  });
  // An idle session ended, for example because the server stopped.
  pool.on('error', () => undefined);
  return {
    async connect() {
      try {
        return new ServerSession(await pool.connect());
      } catch (error) {
        // It throws synchronously if a certificate file can't be read.
        throw databaseError(error);
      }
    },
    end: () => Promise.race([pool.end(), wait(closeTimeoutMs, undefined, { ref: false })]),
  };
}

/** The statements that begin and end a transaction. */
const transactionBounds = /^(?:begin|start transaction|commit|rollback)\b/;

/** A session that runs one statement at a time, without cursors, with the interface that the query builder expects. */
class ServerSession implements PostgresPoolClient {
  readonly #client: PoolClient;
  #isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
    // Without a listener, an error between two statements would be uncaught; the next statement reports it.
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
      // Its transaction may still be open, or its connection dead.
      this.#isBroken ||= isUnavailable(failure) || transactionBounds.test(sql);
      throw failure;
    });
    // PostgreSQL reports this for the commit of a transaction in which a statement failed and the error was ignored.
    if (sql === 'commit' && result.command === 'ROLLBACK')
      throw failedTransactionError('the transaction was rolled back instead of committed');
    return result;
  }

  /** Returns the session to the pool, which replaces it if it is broken. */
  release(): void {
    this.#client.off('error', ignore);
    this.#client.release(this.#isBroken);
  }
}

function ignore(): void {}

/** Converts an error of `pg`: PostgreSQL's, the system's, or one for each address of a host. */
function databaseError(thrown: unknown): DatabaseError {
  const error: unknown = thrown instanceof AggregateError ? (thrown.errors[0] ?? thrown) : thrown;
  return new DatabaseError(messageOf(error), errorCode(error));
}
