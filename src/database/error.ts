import { errorCode } from '../lib/errors.ts';
/** Kinds of database errors, the same for both engines. */
export type DatabaseErrorKind =
  | 'unique'
  | 'foreignKey'
  | 'notNull'
  | 'check'
  /** Another process holds a lock for too long, or a transaction must be repeated. */
  | 'busy'
  | 'full'
  | 'readOnly'
  /** The file was moved or replaced while it was open. */
  | 'moved'
  | 'corrupt'
  | 'cannotOpen'
  | 'io'
  /** The server can't be reached or has no free session. The same call may succeed later. */
  | 'away'
  | 'other';

/** SQLite's result codes (sqlite.org/rescode.html): those that callers distinguish, then the primary ones. */
const sqliteKinds: ReadonlyMap<number, DatabaseErrorKind> = new Map([
  [275, 'check'],
  [787, 'foreignKey'],
  [1299, 'notNull'],
  [1032, 'moved'],
  [1555, 'unique'],
  [2067, 'unique'],
  [2579, 'unique'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'readOnly'],
  [10, 'io'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'cannotOpen'],
  [26, 'corrupt'],
]);

/** PostgreSQL's codes (PostgreSQL 18, Appendix A). */
const postgresKinds: ReadonlyMap<string, DatabaseErrorKind> = new Map([
  ['23502', 'notNull'],
  ['23503', 'foreignKey'],
  ['23505', 'unique'],
  ['23514', 'check'],
  ['25006', 'readOnly'],
  ['40001', 'busy'],
  ['40P01', 'busy'],
  ['53100', 'full'],
  ['55P03', 'busy'],
  ['58030', 'io'],
  ['XX001', 'corrupt'],
  ['XX002', 'corrupt'],
]);

/** The form of PostgreSQL's codes; system error codes can have the same length. */
const sqlState = /^(?:\d\d|F0|HV|P0|XX)[\dA-Z]{3}$/;

/** PostgreSQL's codes for a broken connection, and for a server that is starting, stopping or out of sessions. */
const unavailableCodes = /^08|^57P0[1235]$|^53300$/;

/** An error of the database. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly kind: DatabaseErrorKind;
  /** PostgreSQL's SQLSTATE, or the system's error code for its connection. */
  readonly code: string | undefined;

  /** @param code SQLite's result code if it is a number; otherwise as the member `code` */
  constructor(
    message: string,
    code?: string | number,
    { kind = kindOf(code), cause }: { kind?: DatabaseErrorKind | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.code = typeof code === 'string' ? code : undefined;
  }
}

function kindOf(code: string | number | undefined): DatabaseErrorKind {
  if (typeof code === 'number') return sqliteKinds.get(code) ?? sqliteKinds.get(code & 0xff) ?? 'other';
  // An error without an SQLSTATE comes from the system or the connection.
  if (code === undefined || !sqlState.test(code) || unavailableCodes.test(code)) return 'away';
  return postgresKinds.get(code) ?? 'other';
}

/** Returns whether an error is a database error of a kind. */
export function isDatabaseError(
  error: unknown,
  ...kinds: readonly DatabaseErrorKind[]
): error is DatabaseError {
  return error instanceof DatabaseError && kinds.includes(error.kind);
}

/** Returns whether a call failed because the database can't be reached at the moment; it may be retried later. */
export function isUnavailable(error: unknown): boolean {
  return isDatabaseError(error, 'away');
}

/** Returns the error for a statement in a transaction that has already failed. */
export function failedTransactionError(message: string): DatabaseError {
  return new DatabaseError(message, '25P02');
}

/**
 * Rejects values that one of the engines would silently store as something else: SQLite has no NaN, and stores NULL.
 * @throws DatabaseError
 */
export function checkParameter(value: unknown): void {
  const number = value instanceof Date ? value.getTime() : value;
  if (typeof number === 'number' && !Number.isFinite(number)) throw unstorableError(String(value));
}

/**
 * Returns the error for a value that a database can't store unchanged.
 * @param value description of the value
 */
export function unstorableError(value: string): DatabaseError {
  return new DatabaseError(`${value} cannot be stored`, '22000');
}

/** Returns whether an operation failed because a disk is full: that of the files, or that of the database. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '') || isDatabaseError(error, 'full');
}
