import { DatabaseError } from '../database/error.ts';
import { Failure } from '../lib/errors.ts';

/**
 * Returns whether a database failed for a reason that may pass: it can't be reached, a lock is held for too long, a
 * statement reached its time limit, a disk is full, or the server is a standby. A desk then works without its database.
 * @param thrown as `ConnectedDesk.failureOf` returns it
 */
export function isAwayFailure(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && thrown.kind === 'network' && thrown.cause instanceof DatabaseError;
}
