import { type Expression, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';

/** The differences between the engines that affect statements. All other statements are the same for both. */
export interface Differences {
  readonly engine: 'sqlite' | 'postgres';
  /** The time of the database, in milliseconds since 1970. SQLite runs on this machine's clock. */
  readonly now: RawBuilder<number>;
  /** Returns a condition: a text contains another one, case-sensitively. */
  contains(text: Expression<string>, part: string): RawBuilder<boolean>;
  /** Returns a condition: a value is in a list of any length, which is bound as one parameter. */
  isIn(value: Expression<unknown>, list: readonly (string | number)[]): RawBuilder<boolean>;
  /**
   * Acquires advisory locks one after another until the transaction ends. SQLite's write transactions are exclusive
   * anyway.
   */
  lock<T>(transaction: Transaction<T>, ...locks: readonly number[]): Promise<void>;
  /** Acquires a shared advisory lock until the transaction ends. */
  shareLock<T>(transaction: Transaction<T>, lock: number): Promise<void>;
  /** Tries to acquire an advisory lock; returns false if another transaction holds it. */
  tryLock<T>(transaction: Transaction<T>, lock: number): Promise<boolean>;
  /**
   * Returns whether a table exists.
   * @param schema schema in PostgreSQL; SQLite has none
   */
  hasTable<T>(db: Kysely<T>, name: string, schema?: string): Promise<boolean>;
}

export const sqliteDifferences: Differences = {
  engine: 'sqlite',
  now: sql`cast(unixepoch('subsec') * 1000 as integer)`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  isIn: (value, list) => sql`${value} in (select value from json_each(${JSON.stringify(list)}))`,
  lock: async () => undefined,
  shareLock: async () => undefined,
  tryLock: async () => true,
  async hasTable(db, name) {
    const found = sql`select 1 from sqlite_schema where type = 'table' and name = ${name}`;
    return (await found.execute(db)).rows.length > 0;
  },
};

/** Separates the advisory locks of botctl from those of other applications in the database: "botc". */
const lockNamespace = 0x626f7463;

export const postgresDifferences: Differences = {
  engine: 'postgres',
  now: sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  contains: (text, part) => sql`${text} like ${`%${part.replace(/[\\%_]/g, '\\$&')}%`}`,
  isIn: (value, list) => sql`${value} = any(${list})`,
  async lock(transaction, ...locks) {
    const each = locks.map((lock) => sql`pg_advisory_xact_lock(${sql.lit(lockNamespace)}, ${sql.lit(lock)})`);
    await sql`select ${sql.join(each)}`.execute(transaction);
  },
  async shareLock(transaction, lock) {
    await sql`select pg_advisory_xact_lock_shared(${sql.lit(lockNamespace)}, ${sql.lit(lock)})`.execute(
      transaction,
    );
  },
  async tryLock(transaction, lock) {
    const trying = sql<{ taken: boolean }>`select
      pg_try_advisory_xact_lock(${sql.lit(lockNamespace)}, ${sql.lit(lock)}) as taken`;
    return (await trying.execute(transaction)).rows[0]?.taken === true;
  },
  async hasTable(db, name, schema = 'public') {
    const found = sql`select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relname = ${name} and n.nspname = ${schema} and c.relkind in ('r', 'p')`;
    return (await found.execute(db)).rows.length > 0;
  },
};

/**
 * Returns the form of a text that is stored for case-insensitive search. The application folds the case for both
 * engines: SQLite's `lower` supports ASCII only, and that of PostgreSQL depends on the locale of the database.
 */
export function foldForSearch(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
