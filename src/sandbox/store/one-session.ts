import type { PostgresPool } from 'kysely';
import { PlainSession } from '../../database/session.ts';
import type { DatabaseWorker } from './database-worker.ts';
import { leastFree, tooLittleSpace } from './disk.ts';
import type { WorkerResult } from './worker-protocol.ts';

/** What a pool needs beside its worker. */
interface PoolOptions {
  /** Starts another worker where PostgreSQL gave up, as for a disk that is full. */
  reopen(): Promise<DatabaseWorker>;
  /** Returns the bytes that are free on the disk. */
  freeSpace(): number;
  /** Called before each statement that may change rows, and before each commit; it may throw. */
  onChange(sql: string): void;
  /** Returns false once another process may have the files of the database: nothing more is written to them then. */
  isOurs(): boolean;
}

/** Statements that need space on the disk, those with parts that do included. */
const writing = /(?:^|\()\s*(?:insert|update|delete)\b|\bfor (?:no key )?update\b/i;

/**
 * How statements begin that write nothing, unless `writing` finds a part that does: no function that the sandbox selects from
 * changes a row. A commit writes what the statements before it changed.
 */
const reading = /^\s*(?:select|begin|rollback)\b/i;

/**
 * The worker as a pool of one connection. PGlite has a single session, so one connection has it alone
 * until the release: two transactions would mix otherwise. A transaction that asks the pool for another
 * connection waits for itself for ever. A worker that has ended is replaced at the next connection.
 */
export function oneSession(
  first: DatabaseWorker,
  { reopen, freeSpace, onChange, isOurs }: PoolOptions,
): PostgresPool {
  let worker = first;
  let last = Promise.resolve();
  const beforeRunning = (sql: string): void => {
    const isWriting = writing.test(sql);
    if (isWriting && freeSpace() < leastFree) throw tooLittleSpace();
    if (isWriting || !reading.test(sql)) onChange(sql);
  };
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
      return new Session(worker, beforeRunning, release);
    },
    async end() {
      await last;
      // To close PostgreSQL is to write a checkpoint.
      await (isOurs() ? worker.close() : worker.abandon());
    },
  };
}

class Session extends PlainSession {
  readonly #worker: DatabaseWorker;
  readonly #beforeRunning: (sql: string) => void;
  readonly release: () => void;
  /** Whether a transaction has begun that PostgreSQL is told of with its first statement. */
  #begins = false;

  constructor(worker: DatabaseWorker, beforeRunning: (sql: string) => void, release: () => void) {
    super();
    this.#worker = worker;
    this.#beforeRunning = beforeRunning;
    this.release = release;
  }

  protected async run(sql: string, parameters: readonly unknown[]): Promise<WorkerResult> {
    this.#beforeRunning(sql);
    const begins = this.#begins;
    this.#begins = sql === 'begin';
    if (this.#begins) return { command: 'BEGIN', rowCount: 0, rows: [] };
    if (begins && (sql === 'commit' || sql === 'rollback')) {
      return { command: sql.toUpperCase(), rowCount: 0, rows: [] };
    }
    return this.#worker.run(sql, parameters, begins);
  }
}
