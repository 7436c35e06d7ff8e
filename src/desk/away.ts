import { DatabaseError } from '../database/error.ts';
import { Failure } from '../lib/errors.ts';

/**
 * True of the failure of a database that can't do something at the moment, and may later: it can't be reached, a lock is held for too
 * long, a statement reached its time limit, a disk is full, or the server is a standby. A desk does without its database then.
 * @param thrown as `ConnectedDesk.failureOf` returns it
 */
export function isAwayFailure(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && thrown.kind === 'network' && thrown.cause instanceof DatabaseError;
}
