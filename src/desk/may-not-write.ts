import { DatabaseError } from '../database/error.ts';
import { Failure } from '../lib/errors.ts';

/** PostgreSQL's codes for a missing privilege, and for a session that may only read. */
const forbidden: ReadonlySet<string | undefined> = new Set(['42501', '25006']);

/** True if the user of the database may not write there. */
export function mayNotWrite(thrown: unknown): boolean {
  const error = thrown instanceof Failure ? thrown.cause : thrown;
  return error instanceof DatabaseError && forbidden.has(error.code);
}
