import type { PostgresPool } from 'kysely';
import { PlainSession } from '../../lib/database/session.ts';
import type { DatabaseWorker } from './database-worker.ts';
import { leastFree, tooLittleSpace } from './disk.ts';
import type { WorkerResult } from './worker-protocol.ts';

/** What a pool needs beside its worker. */
interface PoolOptions {
  /** Starts another worker where PostgreSQL gave up, as for a disk that is full. */
  reopen(): Promise<DatabaseWorker>;
  /** Returns the bytes that are free on the disk. */
  freeSpace(): number;
}

/** Statements that need space on the disk, those with parts that do included. */
const writing = /(?:^|\()\s*(?:insert|update|delete)\b|\bfor (?:no key )?update\b/i;

/**
 * The worker as a pool of one connection. PGlite has a single session, so one connection has it alone
 * until the release: two transactions would mix otherwise. A transaction that asks the pool for another
 * connection waits for itself for ever. A worker that has ended is replaced at the next connection.
 */
export function oneSession(first: DatabaseWorker, { reopen, freeSpace }: PoolOptions): PostgresPool {
  let worker = first;
  let last = Promise.resolve();
  return {
    async connect() {
      const before = last;
      let release = (): void => undefined;
      last = new Promise((resolve) => {
        release = resolve;
      });
      await before;
      try {
        if (!worker.isRunning) worker = await reopen();
      } catch (error) {
        release();
        throw error;
      }
      return new Session(worker, freeSpace, release);
    },
    async end() {
      await last;
      await worker.close();
    },
  };
}

class Session extends PlainSession {
  readonly #worker: DatabaseWorker;
  readonly #freeSpace: () => number;
  readonly release: () => void;

  constructor(worker: DatabaseWorker, freeSpace: () => number, release: () => void) {
    super();
    this.#worker = worker;
    this.#freeSpace = freeSpace;
    this.release = release;
  }

  protected async run(sql: string, parameters: readonly unknown[]): Promise<WorkerResult> {
    if (writing.test(sql) && this.#freeSpace() < leastFree) throw tooLittleSpace();
    return this.#worker.run(sql, parameters);
  }
}
