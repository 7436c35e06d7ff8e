import { unwritable } from '../lib/files/file-failure.ts';
import { type Lock, requireLock } from '../lib/files/lock.ts';
import type { Reporter } from '../lib/reporter.ts';
import type { RemarkText } from '../lib/text/remark.ts';
import { type State, updateState } from './state-file.ts';

interface TurnContext {
  readonly signal: AbortSignal;
  readonly reporter: Pick<Reporter, 'note'>;
}

/**
 * Acquires the lock of a state file, which every command holds that changes the file. An apply holds it until its end.
 * @param timeout milliseconds in which another process is waited for
 * @throws Failure `invalidInput` if another process holds it, or it can't be made; the signal's reason
 */
export async function takeTurn(
  { signal, reporter }: TurnContext,
  path: string,
  timeout: number,
): Promise<Lock> {
  const busy = `${path} is being changed`;
  const hint = 'Run it again once that has ended.';
  const onWait = (words: RemarkText): void => reporter.note(words);
  try {
    return await requireLock(`${path}.apply`, { busy, hint, timeout, signal, onWait });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Milliseconds in which a change that takes a moment waits for another process. */
const changeTimeoutMs = 10_000;

/**
 * Changes a state file while it holds the lock.
 * @throws Failure as `takeTurn` and `updateState`; the errors of `change`
 */
export async function changeInTurn(
  context: TurnContext,
  path: string,
  baseUrl: string | undefined,
  change: (lock: State) => State,
): Promise<void> {
  const turn = await takeTurn(context, path, changeTimeoutMs);
  try {
    updateState(turn, path, baseUrl, change);
  } finally {
    turn.release();
  }
}
