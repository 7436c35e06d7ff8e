import type { PostgresPool } from 'kysely';
import type { PoolClient, QueryResult } from 'pg';
import { errorCode } from '../../lib/files/error-code.ts';
import type { Secret } from '../../secrets/secret.ts';
import { DatabaseError } from './database-error.ts';
import { requireBeside } from './engine.ts';
import { PlainSession } from './plain-session.ts';

/** Sessions of a process, at most. */
const sessions = 10;

/** Milliseconds that a call waits for a session, a statement for its end, and for the lock of a row. */
const connectTimeout = 10_000;
const statementTimeout = 30_000;
const lockTimeout = 10_000;

/** PostgreSQL's number of the type int8. */
const int8 = 20;

/**
 * Returns sessions of a PostgreSQL server, by `pg`, whose package has to be installed. A session that broke is replaced
 * at the next call. Errors are those of a database: see `DatabaseError`.
 */
export function serverPool(url: URL, password?: Secret): PostgresPool {
  // A bundle that was compiled earlier imports nothing.
  const pg: typeof import('pg') = requireBeside()('pg');
  const whole = new URL(url);
  // The address of a socket has no other place for it.
  if (password) whole.searchParams.set('password', password.reveal());
  const pool = new pg.Pool({
    connectionString: whole.href,
    max: sessions,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: statementTimeout,
    lock_timeout: lockTimeout,
    keepAlive: true,
    fallback_application_name: 'botctl',
    types: {
      // Texts by default, since they may be larger than a number can be.
      getTypeParser: (type, format) => (type === int8 ? Number : pg.types.getTypeParser(type, format)),
    },
  });
  // A session that nobody uses has ended, as when the server does.
  pool.on('error', () => undefined);
  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw databaseError(error);
      });
      return new ServerSession(client);
    },
    end: () => pool.end(),
  };
}

class ServerSession extends PlainSession {
  readonly #client: PoolClient;

  constructor(client: PoolClient) {
    super();
    this.#client = client;
    // Between two statements nothing else would hear of its end, and the next statement does.
    client.on('error', ignore);
  }

  protected run(sql: string, parameters: readonly unknown[]): Promise<QueryResult> {
    return this.#client.query(sql, [...parameters]).catch((error: unknown) => {
      throw databaseError(error);
    });
  }

  release(): void {
    this.#client.off('error', ignore);
    this.#client.release();
  }
}

function ignore(): void {}

/** What `pg` throws: PostgreSQL's error, the system's, or one for each address of a host. */
function databaseError(thrown: unknown): DatabaseError {
  const error: unknown = thrown instanceof AggregateError ? (thrown.errors[0] ?? thrown) : thrown;
  return new DatabaseError(error instanceof Error ? error.message : String(error), errorCode(error));
}
