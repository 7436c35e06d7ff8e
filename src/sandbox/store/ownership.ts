import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../lib/errors.ts';
import { whyNotWritten } from '../../lib/files/file-failure.ts';
import { type Held, lockHint, lockHolder, lockOwner } from '../../lib/files/lock.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';

/** Starts a sandbox with a directory of its own. */
export const withOwnData = command('sandbox', 'start', '--data', placeholder('<directory>'));

/** The file of a data directory with what a sandbox in the background said. */
export const ownLog = 'sandbox.log';

/** The data directory belongs to another process, or to another store of this one. */
export class DataInUse extends Failure {
  /** Undefined if the lock doesn't say. */
  readonly pid: number | undefined;
  /** Undefined if that process doesn't serve yet. */
  readonly port: number | undefined;

  constructor(directory: string, held: Held) {
    const { owner } = held;
    const port = typeof owner?.details.port === 'number' ? owner.details.port : undefined;
    const at = port === undefined ? '' : ` on port ${port}`;
    super('invalidInput', `The data directory ${directory} is in use by ${lockHolder(held)}${at}.`, {
      hint: lockHint(
        remark`Stop that sandbox, or give this one a directory of its own: ${withOwnData}.`,
        held,
      ),
    });
    this.pid = owner?.pid;
    this.port = port;
  }
}

/** @throws DataInUse if a process that lives has the lock of a data directory */
export function refuseInUse(directory: string): void {
  const file = join(directory, 'lock');
  const owner = lockOwner(file);
  if (owner) throw new DataInUse(directory, { state: 'held', file, owner });
}

/**
 * A directory that holds other files belongs to someone else: nothing in it is touched.
 * @throws Failure `invalidInput`
 */
export function refuseForeign(directory: string): void {
  const isData = ['engine', 'database'].some((name) => existsSync(join(directory, name)));
  if (isData || !existsSync(directory)) return;
  // A start that was ended before it named its engine leaves these; hidden ones are about to be renamed.
  const isOurs = (name: string): boolean => /^\.?(lock|engine)(\.|$)/.test(name) || name === ownLog;
  const foreign = readdirSync(directory).find((name) => !isOurs(name));
  if (foreign === undefined) return;
  throw new Failure('invalidInput', `${directory} holds other things, such as ${foreign}.`, {
    hint: remark`Give the sandbox a directory of its own: ${withOwnData}`,
  });
}

/** Returns what to throw for an error: those of the file system are for the user to mend; others are passed on. */
export function dataFailure(error: unknown, directory: string): unknown {
  const fromFileSystem = error instanceof Error && 'syscall' in error;
  const why = fromFileSystem ? whyNotWritten(error) : undefined;
  if (why === undefined) return error;
  return new Failure('invalidInput', `The data directory ${directory} can't be used: ${why}.`, {
    hint: remark`Name another one: ${withOwnData}`,
    cause: error,
  });
}
