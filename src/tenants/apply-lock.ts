import { Failure } from '../lib/errors.ts';
import { unwritable } from '../lib/files/file-failure.ts';
import { acquireLock, type Held, type Lock, lockHint, lockHolder } from '../lib/files/lock.ts';
import type { Reporter } from '../lib/reporter.ts';
import { capitalised } from '../lib/text/sentence.ts';
import { type State, updateState } from './state-file.ts';

interface TurnContext {
  readonly signal: AbortSignal;
  readonly reporter: Pick<Reporter, 'note'>;
}

/** How another that has the turn is waited for. */
interface Waiting {
  /** Milliseconds. */
  readonly timeout: number;
  /** What to do where that was not long enough. */
  readonly hint: string;
}

/**
 * Takes the turn of everything that changes a lock of tenants: what an apply knows of it holds until its end.
 * @throws Failure `invalidInput` where another has it, or it can't be made; the signal's reason
 */
export async function takeTurn(
  { signal, reporter }: TurnContext,
  path: string,
  { timeout, hint }: Waiting,
): Promise<Lock> {
  const file = `${path}.apply`;
  const onWait = (held: Held): void => {
    const words = `${capitalised(lockHolder(held))} is changing tenants by ${path}; waiting until it has.`;
    reporter.note(lockHint(words, held));
  };
  const attempt = await acquireLock(file, { timeout, signal, onWait });
  if (signal.aborted && attempt.state === 'acquired') attempt.lock.release();
  signal.throwIfAborted();
  if (attempt.state === 'acquired') return attempt.lock;
  throw attempt.state === 'unwritable'
    ? unwritable(path, attempt.error)
    : (attempt.obstacle ?? taken(path, attempt, hint));
}

function taken(path: string, held: Held, hint: string): Failure {
  return new Failure('invalidInput', `${capitalised(lockHolder(held))} is changing tenants by ${path}.`, {
    hint: lockHint(hint, held),
  });
}

/** How what is done in a moment waits for another. */
const shortly: Waiting = { timeout: 10_000, hint: 'Run it again once that has ended.' };

/**
 * Changes a lock in a turn of its own.
 * @throws Failure as `takeTurn` and `updateState`; and whatever `change` throws
 */
export async function changeInTurn(
  context: TurnContext,
  path: string,
  baseUrl: string | undefined,
  change: (lock: State) => State,
): Promise<void> {
  const turn = await takeTurn(context, path, shortly);
  try {
    updateState(turn, path, baseUrl, change);
  } finally {
    turn.release();
  }
}
