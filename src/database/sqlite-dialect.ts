import { randomInt } from 'node:crypto';
import { setImmediate as turnOfEventLoop, setTimeout as wait } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { DatabaseError, failedTransactionError, isDatabaseError } from './error.ts';
import type { SqliteConnection } from './sqlite-driver.ts';

/**
 * Returns a kysely dialect for SQLite. Kysely's own `SqliteDialect` begins transactions with a read, which can't be
 * repeated if another process writes meanwhile, and waits for locks by blocking the thread.
 * @param open opens the connection that runs all statements, one after the other
 * @param isShared whether to wait for other processes when opening too; a private file is refused at once
 */
export function sqliteDialect(open: () => SqliteConnection, isShared: boolean): Dialect {
  return {
    createDriver: () => new SqliteKyselyDriver(isShared ? () => retryWhileLocked(open) : async () => open()),
    createQueryCompiler: () => new Compiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Omits row locks (`for update`): a write transaction of SQLite locks the whole file. */
class Compiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    const { modifier } = node;
    if (modifier === undefined || !/^(?:For|NoWait|SkipLocked)/.test(modifier))
      super.visitSelectModifier(node);
  }
}

/** The maximum time that a statement waits for locks of other processes, in milliseconds. */
const longestWait = 10_000;

/**
 * The range of the pause before a locked file is tried again, in milliseconds. The pause is random, so that no process
 * starves the others.
 */
const [shortestPause, longestPause] = [1, 8];

async function retryWhileLocked<T>(work: () => T): Promise<T> {
  const end = performance.now() + longestWait;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isDatabaseError(error, 'busy') || performance.now() > end) throw error;
      await wait(randomInt(shortestPause, longestPause + 1));
    }
  }
}

/**
 * After this many milliseconds of statements, the driver yields to timers, requests and signals: `await` alone doesn't.
 */
const yieldAfter = 8;

/**
 * Serves one connection, for which callers queue. A call inside a transaction that does not use the transaction would
 * wait forever.
 */
class SqliteKyselyDriver implements Driver {
  readonly #open: () => Promise<SqliteConnection>;
  #connection: Connection | undefined;
  #last: Promise<void> = Promise.resolve();
  #release: () => void = () => undefined;

  constructor(open: () => Promise<SqliteConnection>) {
    this.#open = open;
  }

  async init(): Promise<void> {
    this.#connection = new Connection(await this.#open());
  }

  async acquireConnection(): Promise<Connection> {
    await this.#waitInQueue();
    if (this.#connection !== undefined) return this.#connection;
    this.#release();
    throw new TypeError('the database is closed');
  }

  /** Waits until all earlier callers have released the connection. */
  async #waitInQueue(): Promise<void> {
    const before = this.#last;
    let release = (): void => undefined;
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    this.#release = release;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  beginTransaction(connection: Connection, { accessMode }: TransactionSettings): Promise<void> {
    return connection.begin(accessMode === 'read only');
  }

  commitTransaction(connection: Connection): Promise<void> {
    return connection.commit();
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    connection.rollback();
  }

  /** Closes the connection after a running transaction has ended. */
  async destroy(): Promise<void> {
    await this.#waitInQueue();
    this.#connection?.close();
    this.#connection = undefined;
    this.#release();
  }
}

/** The state of the transaction of a connection. */
type Transaction = 'none' | 'reading' | 'writing' | 'failed';

class Connection implements DatabaseConnection {
  readonly #sqlite: SqliteConnection;
  #transaction: Transaction = 'none';
  #yieldedAt = performance.now();

  constructor(sqlite: SqliteConnection) {
    this.#sqlite = sqlite;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (performance.now() - this.#yieldedAt > yieldAfter) {
      await turnOfEventLoop();
      this.#yieldedAt = performance.now();
    }
    this.#checkTransaction();
    const query = () => this.#sqlite.query(sql, parameters);
    try {
      // A transaction that writes already has its lock.
      const { rows, changes } = this.#transaction === 'writing' ? query() : await retryWhileLocked(query);
      // Kysely's types determine the rows of a statement.
      const typed = rows as R[];
      return changes === undefined ? { rows: typed } : { rows: typed, numAffectedRows: BigInt(changes) };
    } catch (error) {
      if (this.#transaction !== 'none') this.#transaction = 'failed';
      throw error;
    }
  }

  /**
   * Rejects statements after an error in a transaction, as PostgreSQL does. SQLite may have rolled the transaction
   * back, for example on a full disk; each further statement would then be committed separately.
   */
  #checkTransaction(): void {
    if (this.#transaction === 'failed')
      throw failedTransactionError('a statement of this transaction failed before');
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    // A reader that stays open prevents every process from committing to a shared file.
    throw new TypeError('rows are read in pages');
  }

  async begin(isReadOnly: boolean): Promise<void> {
    await retryWhileLocked(() => this.#sqlite.exec(isReadOnly ? 'begin' : 'begin immediate'));
    this.#transaction = isReadOnly ? 'reading' : 'writing';
  }

  async commit(): Promise<void> {
    this.#checkTransaction();
    // The commit waits for processes that read the file; the transaction stays open until then.
    await retryWhileLocked(() => this.#sqlite.exec('commit'));
    this.#transaction = 'none';
  }

  rollback(): void {
    this.#transaction = 'none';
    try {
      this.#sqlite.exec('rollback');
    } catch (error) {
      // The transaction has ended in any case: SQLite may have rolled it back before, for example on a full disk. The
      // earlier error is the one to report.
      if (!(error instanceof DatabaseError)) throw error;
    }
  }

  close(): void {
    this.#sqlite.close();
  }
}
