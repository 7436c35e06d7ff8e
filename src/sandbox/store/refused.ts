import { errorCode } from '../../lib/files/error-code.ts';

/** True if a statement was refused since a value that is to be unique is there already: the code is PostgreSQL's. */
export function isNotUnique(error: unknown): boolean {
  return errorCode(error) === '23505';
}

/** True if a statement was refused since the row that it refers to is not there: the code is PostgreSQL's. */
export function refersToNothing(error: unknown): boolean {
  return errorCode(error) === '23503';
}
