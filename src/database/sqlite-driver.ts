import { existsSync, statSync } from 'node:fs';
import { checkParameter, DatabaseError, isDatabaseError, unstorableError } from './error.ts';
import { requireOptional } from './packages.ts';

/** A row, by column name. */
export type Row = Record<string, unknown>;

/** The result of a statement: its rows, or the number of rows changed. */
export interface StatementResult {
  readonly rows: Row[];
  /** Undefined if the statement returns rows. */
  readonly changes: number | undefined;
}

/** A connection to a SQLite file. It is synchronous: each call returns when the statement has ended. */
export interface SqliteConnection {
  /** @throws DatabaseError */
  query(sql: string, parameters: readonly unknown[]): StatementResult;
  /**
   * Runs a statement without parameters and results.
   * @throws DatabaseError
   */
  exec(sql: string): void;
  /** Releases the locks and closes the file. */
  close(): void;
}

/** The members that the drivers have in common; `node:sqlite` expects parameters spread, and libsql as one array. */
interface RawStatement {
  all(...parameters: unknown[]): Row[];
  run(...parameters: unknown[]): { readonly changes: number | bigint };
  columns(): readonly { readonly name: string; readonly type?: string | null }[];
}

/** A class of statements; its prototype shows which methods it supports. */
interface StatementClass {
  readonly prototype: Partial<RawStatement>;
}

interface RawDatabase {
  prepare(sql: string): RawStatement;
  exec(sql: string): void;
  close(): void;
}

interface Driver {
  /** The origin of the driver, for display. */
  readonly source: string;
  open(file: string): RawDatabase;
  /** Returns the arguments of `all` and `run`. */
  argumentsOf(parameters: readonly unknown[]): readonly unknown[];
}

/** The package that provides SQLite on Node 20, with the version that botctl was tested with. */
export const sqlitePackage = 'libsql@0.5.29';

/**
 * Returns whether SQLite can be used here. Node includes it from 22.16 on, and an optional package provides it on Node
 * 20. Loads the driver, so that a package for another platform or a damaged one counts as missing.
 */
export function hasSqlite(): boolean {
  return driver() !== undefined;
}

/** Returns SQLite's version and origin: `3.45.1, from the package libsql`; undefined if it can't be used here. */
export function sqliteInUse(): string | undefined {
  const found = driver();
  if (found === undefined) return undefined;
  const memory = found.open(':memory:');
  const [row] = memory.prepare('select sqlite_version() as version').all();
  memory.close();
  return `${row?.version}, from ${found.source}`;
}

let loaded: Driver | undefined;

function driver(): Driver | undefined {
  loaded ??= nodeDriver() ?? libsqlDriver();
  return loaded;
}

function nodeDriver(): Driver | undefined {
  // The types of Node 20 do not include this module.
  const load: (
    name: string,
  ) => { DatabaseSync: new (file: string) => RawDatabase; StatementSync: StatementClass } | undefined =
    process.getBuiltinModule;
  const sqlite = withoutExperimentalWarning(() => load('node:sqlite'));
  // Before 22.16 its statements don't report the types of their columns.
  if (sqlite?.StatementSync.prototype.columns === undefined) return undefined;
  const { DatabaseSync } = sqlite;
  return {
    source: `Node.js ${process.versions.node}`,
    open: (file) => new DatabaseSync(file),
    argumentsOf: (parameters) => parameters,
  };
}

/** Calls a function without Node 22's warning that its SQLite is experimental, which an operator can't act on. */
function withoutExperimentalWarning<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function libsqlDriver(): Driver | undefined {
  try {
    const Libsql: new (file: string) => RawDatabase = requireOptional()('libsql');
    return {
      source: `the package ${sqlitePackage.replace(/@.*/, '')}`,
      open: (file) => new Libsql(file),
      argumentsOf: (parameters) => [parameters],
    };
  } catch {
    // The package is missing, unavailable for this platform, or can't be loaded. The error has a code in only some of
    // these cases.
    return undefined;
  }
}

/** libsql reports a failure to open without a code; the number ends its message. */
const openFailure = /Unable to open connection to local database .*: (\d+)"?\)?$/s;

function databaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError) return error;
  const { message } = error;
  const code = numberIn(error, 'errcode') ?? numberIn(error, 'rawCode') ?? openErrorCode(message);
  return code === undefined ? error : new DatabaseError(message, code, { cause: error });
}

function numberIn(error: Error, member: 'errcode' | 'rawCode'): number | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(error, member)?.value;
  return typeof value === 'number' ? value : undefined;
}

function openErrorCode(message: string): number | undefined {
  const code = openFailure.exec(message)?.[1];
  return code === undefined ? undefined : Number(code);
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw databaseError(error);
  }
}

/**
 * Converts a parameter so that every driver binds it correctly. libsql aborts the process for a boolean, all of them
 * bind a number as a float (5 becomes `5.0` in a text column), and libsql truncates a text at the character 0 when
 * reading.
 */
function toBindable(value: unknown): unknown {
  checkParameter(value);
  switch (typeof value) {
    case 'string':
      if (value.includes('\0')) throw unstorableError('a text with the character 0');
      return value;
    case 'bigint':
      return value;
    case 'boolean':
      return value ? 1n : 0n;
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'undefined':
      return null;
  }
  if (value === null || value instanceof Uint8Array) return value;
  if (value instanceof Date) return BigInt(value.getTime());
  return toBindable(JSON.stringify(value));
}

/** Converts results by the declared types of their columns. Expressions have none: their booleans are 0 or 1. */
const readers: ReadonlyMap<string, (value: unknown) => unknown> = new Map<
  string,
  (value: unknown) => unknown
>([
  ['BOOLEAN', (value) => value !== 0],
  ['TEXT_JSON', (value) => (typeof value === 'string' ? JSON.parse(value) : value)],
  ['INTEGER_TIME', (value) => new Date(Number(value))],
  ['BLOB', blobOf],
]);

/** Converts a blob to a Buffer: libsql returns an ArrayBuffer, and `node:sqlite` a Uint8Array. */
function blobOf(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/** A prepared statement. */
interface PreparedStatement {
  readonly raw: RawStatement;
  readonly isReader: boolean;
  /** Converts a row in place. */
  convert(row: Row): Row;
}

function wrapStatement(raw: RawStatement): PreparedStatement {
  const columns = raw.columns();
  const converted = columns.flatMap(({ name, type }) => {
    const reader = readers.get(type?.toUpperCase() ?? '');
    return reader ? [[name, reader] as const] : [];
  });
  return {
    raw,
    isReader: columns.length > 0,
    convert(row) {
      for (const [name, read] of converted) if (row[name] !== null) row[name] = read(row[name]);
      return row;
    },
  };
}

/** SQLite's result code for a file that was moved. SQLite itself detects that only in rollback journal mode. */
const movedCode = 1032;

/**
 * Maximum prepared statements cached per connection. libsql has no finalizer for them, so a larger number costs memory
 * until they are garbage-collected.
 */
const mostStatements = 200;

/** The maximum cache of a private file in memory, in KiB. */
const privateCache = 16 * 1024;

/**
 * Opens a file and creates it if it is missing; see `openFile` for its permissions.
 * @param isShared whether other processes may open the file. SQLite before 3.51.3 may damage a WAL that several
 * processes write concurrently, so a shared file uses a rollback journal. A private one is locked until it is closed: a
 * second process is refused with `busy`.
 * @throws DatabaseError
 */
export function openSqlite(file: string, isShared: boolean): SqliteConnection {
  const found = driver();
  if (found === undefined) throw new TypeError('SQLite is not installed');
  const { open, argumentsOf } = found;
  const raw = attempt(() => open(file));
  const inodeOf = (): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
  const inode = inodeOf();
  /**
   * Without this check, writes to a private file that was deleted or replaced would be acknowledged, and lost when the
   * process ends.
   */
  const isMoved = (): boolean => !isShared && inodeOf() !== inode;
  const cache = new Map<string, PreparedStatement>();
  const prepare = (sql: string): PreparedStatement => {
    const prepared = cache.get(sql) ?? wrapStatement(raw.prepare(sql));
    cache.delete(sql);
    cache.set(sql, prepared);
    const [oldest] = cache.keys();
    if (cache.size > mostStatements && oldest !== undefined) cache.delete(oldest);
    return prepared;
  };
  const query = (sql: string, parameters: readonly unknown[]): StatementResult =>
    attempt(() => {
      if (!sql.startsWith('select') && isMoved())
        throw new DatabaseError('another file has its name, or none', movedCode);
      const { raw: statement, isReader, convert } = prepare(sql);
      const values = argumentsOf(parameters.map(toBindable));
      // In libsql, `run` of a statement that returns rows leaves its transaction open.
      if (isReader) return { rows: statement.all(...values).map(convert), changes: undefined };
      return { rows: [], changes: Number(statement.run(...values).changes) };
    });
  const exec = (sql: string): void => attempt(() => raw.exec(sql));
  const first = (sql: string): string => String(Object.values(query(sql, []).rows[0] ?? {})[0]);
  /**
   * Closes the connection. libsql would keep it and its locks until its statements are garbage-collected, so the cache
   * is cleared.
   */
  const close = (): void => {
    try {
      // The WAL is deleted by name. If the file was moved, another process may use a WAL of that name with its own
      // database.
      if (!isShared && !isMoved()) {
        first('pragma journal_mode = delete');
        exec('pragma locking_mode = normal');
        query('select 1 from sqlite_schema limit 1', []);
      }
    } catch (error) {
      // On a full disk the WAL stays, and the next start recovers it.
      if (!(error instanceof DatabaseError)) throw error;
    } finally {
      cache.clear();
      attempt(() => raw.close());
    }
  };
  try {
    // SQLite's own wait would block the thread.
    exec('pragma busy_timeout = 0');
    exec(`pragma locking_mode = ${isShared ? 'normal' : 'exclusive'}`);
    const journal = isShared ? 'truncate' : 'wal';
    const journalNow = first(`pragma journal_mode = ${journal}`);
    if (journalNow !== journal) {
      throw new DatabaseError(`the journal mode is ${journalNow}, and stays so`, 5);
    }
    // Without fullfsync, macOS does not flush writes to the drive.
    exec(
      'pragma synchronous = full; pragma fullfsync = on; pragma foreign_keys = on; pragma temp_store = memory',
    );
    if (!isShared) {
      // With SQLite's default of 2 MB, the last page of a list of 100,000 rows takes ten times as long.
      exec(`pragma cache_size = ${-privateCache}`);
      // Acquires the lock now instead of at the first call.
      exec('begin immediate; commit');
    }
  } catch (error) {
    close();
    throw error;
  }
  return { query, exec, close };
}

/**
 * Returns whether a process has a private file open, or is opening it. It uses the kernel's lock, which also works
 * across containers.
 */
export function isFileInUse(file: string): boolean {
  if (!existsSync(file) || !hasSqlite()) return false;
  try {
    openSqlite(file, false).close();
    return false;
  } catch (error) {
    return isDatabaseError(error, 'busy');
  }
}
