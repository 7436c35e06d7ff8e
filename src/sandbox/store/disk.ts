import { statfsSync } from 'node:fs';
import { isDatabaseError } from '../../database/error.ts';
import { errorCode } from '../../lib/errors.ts';

/** Returns the bytes that this user may still write on the disk of a directory; Infinity if the system doesn't say. */
export function freeSpaceOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns whether something failed because the disk is full: that of the files, or that of the database. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '') || isDatabaseError(error, 'full');
}
