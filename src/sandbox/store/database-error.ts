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
