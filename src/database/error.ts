/** An error of the database. `code` is the SQLSTATE where PostgreSQL spoke. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';

  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

/** How codes of PostgreSQL begin and end (PostgreSQL 18, Appendix A); those of the system may be as long. */
const sqlState = /^(?:\d\d|F0|HV|P0|XX)[\dA-Z]{3}$/;

/** PostgreSQL's codes for a connection that broke, and for a server that starts, ends or has no session left. */
const notNow = /^08|^57P0[1235]$|^53300$/;

/** True if something failed since the database isn't there at the moment; what it was asked for may be asked again later. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  // What has no code of PostgreSQL's is of the system or the connection.
  const { code = '' } = error;
  return !sqlState.test(code) || notNow.test(code);
}

/** PostgreSQL's code for a statement in a transaction that has failed already. */
const failedTransaction = '25P02';

/**
 * Makes sure that a commit was one: PostgreSQL answers with a rollback to the commit of a transaction in which a statement
 * failed and was ignored.
 * @param command what PostgreSQL says that it did
 * @throws DatabaseError
 */
export function checkCommit(sql: string, command: string): void {
  if (sql !== 'commit' || command !== 'ROLLBACK') return;
  throw new DatabaseError('the transaction was rolled back instead of committed', failedTransaction);
}
