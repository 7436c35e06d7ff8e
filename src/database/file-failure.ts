import { Failure } from '../lib/errors.ts';
import { unwritable } from '../lib/files/file-failure.ts';
import { DatabaseError, type DatabaseErrorKind } from './error.ts';
import { NewerSchema } from './migrate.ts';

const permissions = 'Check the permissions of the file and of its directory.';

/** What errors of each kind say of a file, and what to do. */
const problems: Readonly<
  Partial<Record<DatabaseErrorKind, { readonly happened: string; readonly hint: string }>>
> = {
  busy: { happened: 'is locked by another process', hint: 'Try again. A stopped process may hold the lock.' },
  full: { happened: "can't be written: the disk is full", hint: 'Make room on the disk, then try again.' },
  readOnly: { happened: "can't be written", hint: permissions },
  moved: { happened: 'was moved or replaced meanwhile', hint: 'Run the same command again.' },
  cannotOpen: { happened: "can't be opened", hint: permissions },
  corrupt: { happened: 'is damaged', hint: 'Restore it from a backup, or move it away.' },
  io: { happened: "can't be read or written", hint: 'Check the disk, and the permissions of the file.' },
};

/**
 * Returns what to throw for an error of a SQLite file: a failure with what a person can do about it. Other errors are
 * returned as they are.
 */
export function fileFailure(error: unknown, file: string): unknown {
  if (error instanceof NewerSchema) {
    const message = `${file} was written by a newer botctl: it has had the migration ${error.migration}.`;
    return new Failure('invalidInput', message, { hint: 'Use that version.', cause: error });
  }
  if (error instanceof Failure) return error;
  if (!(error instanceof DatabaseError)) return unwritable(file, error);
  const problem = problems[error.kind];
  if (problem === undefined) return error;
  const message = `${file} ${problem.happened}: ${error.message}.`;
  return new Failure(['busy', 'moved'].includes(error.kind) ? 'network' : 'invalidInput', message, {
    hint: problem.hint,
    cause: error,
  });
}
