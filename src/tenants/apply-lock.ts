import { writeFailure } from '../lib/files/file-failure.ts';
import { type Lock, requireLock } from '../lib/files/lock.ts';
import type { ResourceContext } from '../resources/resource-context.ts';
import { type State, updateState } from './state-file.ts';

interface LockContext extends Pick<ResourceContext, 'signal'> {
  readonly reporter: Pick<ResourceContext['reporter'], 'note'>;
}

/**
 * Acquires the lock of a state file. Every command that changes the file holds it; an apply holds it until its end.
 * @param timeout milliseconds to wait for another process
 * @throws Failure `invalidInput` if another process holds it, or it can't be created; the signal's reason
 */
export async function acquireApplyLock(
  { signal, reporter }: LockContext,
  path: string,
  timeout: number,
): Promise<Lock> {
  try {
    return await requireLock(`${path}.apply`, {
      ...{ busy: `${path} is being changed`, hint: 'Run it again when that has ended.' },
      ...{ timeout, signal, onWait: (words) => reporter.note(words) },
    });
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/** Milliseconds that a short change waits for another process. */
const changeTimeoutMs = 10_000;

/**
 * Changes a state file while it holds the lock.
 * @throws Failure as `acquireApplyLock` and `updateState`; the errors of `change`
 */
export async function changeLocked(
  context: LockContext,
  path: string,
  baseUrl: string | undefined,
  change: (lock: State) => State,
): Promise<void> {
  const lock = await acquireApplyLock(context, path, changeTimeoutMs);
  try {
    updateState(lock, path, baseUrl, change);
  } finally {
    lock.release();
  }
}
