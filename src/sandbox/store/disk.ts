import { statfsSync } from 'node:fs';
import { DatabaseError } from '../../database/error.ts';
import { errorCode } from '../../lib/files/error-code.ts';

/**
 * Bytes that have to be free for a change. PostgreSQL gives up for good where its journal finds no place, and needs some to
 * be opened again; what is left serves that, and reading.
 */
export const leastFree = 4 * 1024 * 1024;

/** PostgreSQL's code for a disk that is full. */
const diskFull = '53100';

/** Returns the bytes that this user may still write on the disk of a directory; Infinity where the system doesn't say. */
export function freeSpaceOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns the error of a change that is refused since the disk is nearly full. */
export function tooLittleSpace(): DatabaseError {
  return new DatabaseError('the disk is full: less than 4 MiB are left', diskFull);
}

/** True if something failed since the disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')) return true;
  if (!(error instanceof DatabaseError)) return false;
  return error.code === diskFull || error.message.includes('No space left on device');
}
