import { Failure } from '../lib/errors.ts';
import { unwritable } from '../lib/files/file-failure.ts';
import { acquireLock, type Held, lockHint, lockHolder, type Lock as Turn } from '../lib/files/lock.ts';
import type { Reporter } from '../lib/reporter.ts';
import { capitalised } from '../lib/text/capitalised.ts';
import { type Lock, updateLock } from './lock.ts';

interface TurnContext {
  readonly signal: AbortSignal;
  readonly reporter: Pick<Reporter, 'note'>;
}

/**
 * Takes the turn of everything that changes a lock of tenants: what an apply knows of it holds until its end.
 * @param timeout milliseconds that another is waited for
 * @throws Failure `invalidInput` where another has it, or it can't be made; the signal's reason
 */
export async function takeTurn(
  { signal, reporter }: TurnContext,
  path: string,
  timeout: number,
): Promise<Turn> {
  const file = `${path}.apply`;
  const first = await acquireLock(file, { timeout: 0 });
  const waits = first.state === 'held' && !first.obstacle && timeout > 0;
  if (waits)
    reporter.note(`${capitalised(lockHolder(first))} is changing tenants by ${path}; waiting until it has.`);
  const last = waits ? await acquireLock(file, { timeout, signal }) : first;
  signal.throwIfAborted();
  if (last.state === 'acquired') return last.lock;
  throw last.state === 'unwritable' ? unwritable(path, last.error) : (last.obstacle ?? taken(path, last));
}

function taken(path: string, held: Held): Failure {
  const hint = 'Run it again once that has ended, or let it wait with --lock-timeout.';
  return new Failure('invalidInput', `${capitalised(lockHolder(held))} is changing tenants by ${path}.`, {
    hint: lockHint(hint, held),
  });
}

/** Milliseconds that another is waited for by what is done in a moment. */
const shortTurnMs = 10_000;

/**
 * Changes a lock in a turn of its own.
 * @throws Failure as `takeTurn` and `updateLock`; and whatever `change` throws
 */
export async function changeInTurn(
  context: TurnContext,
  path: string,
  baseUrl: string | undefined,
  change: (lock: Lock) => Lock,
): Promise<void> {
  const turn = await takeTurn(context, path, shortTurnMs);
  try {
    await updateLock(path, baseUrl, context.signal, change);
  } finally {
    turn.release();
  }
}
