import { Failure } from '../../lib/errors.ts';
import { unwritable } from '../../lib/files/file-failure.ts';
import { lockHint, lockHolder } from '../../lib/files/lock.ts';
import { withLock } from '../../settings/files.ts';

/** Milliseconds that another process which changes the same file is waited for. */
const lockTimeoutMs = 10_000;

/**
 * Does work on a file while no other process does such on it, and none where that can't be made sure: a file may be open to
 * writing in a directory, or on a full disk, that takes no lock. Returns what the work does.
 * @param what what the file holds, as a part of a sentence
 * @param signal ends the waiting
 * @throws Failure `invalidInput` where another process doesn't end its turn, or no lock can be made; the signal's
 * reason, and whatever the work throws
 */
export function inTurn<T>(
  file: string,
  what: string,
  signal: AbortSignal,
  work: () => T | Promise<T>,
): Promise<T> {
  const onHeld: Parameters<typeof withLock>[1]['onHeld'] = (held) => {
    signal.throwIfAborted();
    if (held.obstacle) throw held.obstacle;
    const hint = lockHint('Run it again once that has ended.', held);
    throw new Failure('invalidInput', `${lockHolder(held)} is changing ${what}.`, { hint });
  };
  const onUnwritable = (error: Error): never => {
    throw unwritable(`${file}.lock`, error);
  };
  return withLock(`${file}.lock`, { timeout: lockTimeoutMs, signal, onHeld, onUnwritable }, work);
}
