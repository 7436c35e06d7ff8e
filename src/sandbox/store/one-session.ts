import type { PostgresCursor, PostgresPool, PostgresPoolClient } from 'kysely';
import { DatabaseError, type DatabaseWorker } from './database-worker.ts';
import type { WorkerResult } from './worker-protocol.ts';

/** PostgreSQL's code for a statement in a transaction that has failed already. */
const failedTransaction = '25P02';

/**
 * The worker as a pool of one connection. PGlite has a single session, so one connection has it alone
 * until the release: two transactions would mix otherwise. A transaction that asks the pool for another
 * connection waits for itself for ever.
 */
export function oneSession(worker: DatabaseWorker): PostgresPool {
  let last = Promise.resolve();
  return {
    async connect() {
      const before = last;
      let release = (): void => undefined;
      last = new Promise((resolve) => {
        release = resolve;
      });
      await before;
      return new Session(worker, release);
    },
    async end() {
      await last;
      await worker.close();
    },
  };
}

class Session implements PostgresPoolClient {
  readonly #worker: DatabaseWorker;
  readonly release: () => void;

  constructor(worker: DatabaseWorker, release: () => void) {
    this.#worker = worker;
    this.release = release;
  }

  query<R>(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<{ command: 'SELECT'; rowCount: number; rows: R[] }>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(sql: string | PostgresCursor<unknown>, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string') throw new TypeError('the database has no cursors');
    return this.#run(sql, parameters);
  }

  async #run(sql: string, parameters: readonly unknown[]): Promise<WorkerResult> {
    const result = await this.#worker.run(sql, parameters);
    // PostgreSQL answers so to the commit of a transaction in which a statement failed and was ignored.
    if (sql === 'commit' && result.command === 'ROLLBACK') {
      throw new DatabaseError('the transaction was rolled back instead of committed', failedTransaction);
    }
    return result;
  }
}
