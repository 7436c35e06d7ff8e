import { createHash } from 'node:crypto';
import { decodeText, fileSource } from '../lib/files/decode-text.ts';
import { errorCode } from '../lib/files/error-code.ts';
import { acquireLock, type Held } from '../lib/files/lock.ts';
import { readOwnFile, readOwnText } from '../lib/files/read-file.ts';

/** Returns the part of a file's name that stands for a text which can be in no file's name. */
export function fileHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Reads a text file of botctl's own. Returns undefined if there is none, its directory missing included. */
export function readIfThere(file: string): string | undefined {
  return ifThere(() => readOwnText(file));
}

/**
 * Reads a text file of botctl that people keep in version control, as `readIfThere`.
 * @throws Failure as `decodeText`
 */
export function readSharedIfThere(file: string): string | undefined {
  return ifThere(() => decodeText(readOwnFile(file), fileSource(file)));
}

function ifThere(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Does work whose failure doesn't matter, such as that with a cache; gives undefined if it fails. */
export function unlessFailing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Options of waiting for a lock. */
interface LockUse {
  /** Milliseconds to wait until its owner releases it. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Is called when somebody still has it after that time, or something else is in its place, and may throw; otherwise the
   * work is done all the same. Without it the signal's reason is thrown, if it came.
   */
  readonly onHeld?: (held: Held) => void;
  /** Is called with the reason where no lock file can be made, and may throw; otherwise the work is done all the same. */
  readonly onUnwritable?: (error: Error) => void;
}

/**
 * Does work while no other process does work under the same lock file. Where no lock file can be made, the
 * work is done without unless `onUnwritable` throws: if nothing can be written there, work that makes a file finds that out
 * itself. Returns what the work does.
 * @param work is given what it calls before a write that replaces what others may have written: it throws a failure if
 *   another process has taken the lock over
 * @throws the signal's reason, and whatever the work throws
 */
export async function withLock<T>(
  file: string,
  use: LockUse,
  work: (check: () => void) => T | Promise<T>,
): Promise<T> {
  const attempt = await acquireLock(file, { timeout: use.timeout, signal: use.signal });
  try {
    if (attempt.state === 'held') {
      if (use.onHeld) use.onHeld(attempt);
      else use.signal?.throwIfAborted();
    }
    if (attempt.state === 'unwritable') use.onUnwritable?.(attempt.error);
    return await work(() => attempt.state === 'acquired' && attempt.lock.check());
  } finally {
    if (attempt.state === 'acquired') attempt.lock.release();
  }
}
