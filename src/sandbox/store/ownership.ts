import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFileInUse } from '../../database/sqlite-driver.ts';
import { Failure } from '../../lib/errors.ts';
import { whyNotWritten } from '../../lib/files/file-failure.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { engineIn, onServer } from './engine.ts';
import { readNote } from './note.ts';

/** Starts a sandbox with a directory of its own. */
export const withOwnData = command('sandbox', 'start', '--data', placeholder('<directory>'));

/** The file of a data directory with what a sandbox in the background said. */
export const ownLog = 'sandbox.log';

/**
 * The database of a data directory. The process that serves the directory has its lock; a sandbox whose rows are on a server
 * has nothing else in it.
 */
export const databaseFile = 'sandbox.db';

/** The data directory belongs to another process, or to another store of this one. */
export class DataInUse extends Failure {
  constructor(directory: string, cause?: unknown) {
    const note = readNote(directory);
    const holder = note ? `the sandbox at ${note.base_url} (process ${note.pid})` : 'another process';
    super('invalidInput', `The data directory ${directory} is in use by ${holder}.`, {
      hint: remark`Stop that sandbox, or give this one a directory of its own: ${withOwnData}`,
      cause,
    });
  }
}

/** Returns whether a process has a data directory. */
export function isInUse(directory: string): boolean {
  return isFileInUse(join(directory, databaseFile));
}

/** Returns whether a sandbox runs on a data directory, and can be asked. */
export function isRunningOn(directory: string): boolean {
  return readNote(directory) !== undefined && isInUse(directory);
}

/** Returns whether a directory is the data directory of a sandbox. */
export function hasData(directory: string): boolean {
  return [databaseFile, 'engine'].some((name) => existsSync(join(directory, name)));
}

/**
 * Nothing is touched in a directory that holds other files, or the data of an earlier version.
 * @throws Failure `invalidInput`
 */
export function refuseForeign(directory: string): void {
  if (!existsSync(directory)) return;
  refuseEarlier(directory);
  if (hasData(directory)) return;
  // A start that broke off leaves these; hidden ones are about to be renamed.
  const isOurs = (name: string): boolean => /^\.?engine(\.|$)/.test(name) || name === ownLog;
  const names = readdirSync(directory);
  if (names.includes('key.json') && names.includes('files'))
    throw damaged(directory, `${databaseFile} is missing`);
  const foreign = names.find((name) => !isOurs(name));
  if (foreign === undefined) return;
  throw new Failure('invalidInput', `${directory} holds other things, such as ${foreign}.`, {
    hint: remark`Give the sandbox a directory of its own: ${withOwnData}`,
  });
}

/** @throws Failure `invalidInput` for the data of a botctl that kept it in PGlite */
function refuseEarlier(directory: string): void {
  const engine = engineIn(directory);
  const isEarlier = engine === undefined ? existsSync(join(directory, 'database')) : engine !== onServer;
  if (!isEarlier) return;
  throw new Failure(
    'invalidInput',
    `The data in ${directory} was made by an earlier botctl, which kept it in ${engine ?? 'PGlite'}. This one can't read it, and it can't be carried over. Nothing was changed.`,
    {
      hint: remark`Start with another directory: ${command('sandbox', 'start', '--data', `${directory}-new`)}. That earlier botctl still serves this one.`,
    },
  );
}

/** Returns the failure of data that can't be used any more. @param what the file, and what is wrong with it */
export function damaged(directory: string, what: string, cause?: unknown): Failure {
  return new Failure('invalidInput', `The data in ${directory} is damaged: ${what}. Nothing was changed.`, {
    hint: remark`Put the directory back from a copy, or start with another one: ${withOwnData}`,
    cause,
  });
}

/** Returns what to throw for an error: those of the file system are for the user to mend; others are passed on. */
export function dataFailure(error: unknown, directory: string): unknown {
  const fromFileSystem = error instanceof Error && 'syscall' in error;
  const why = fromFileSystem ? whyNotWritten(error) : undefined;
  if (why === undefined) return error;
  return unusable(directory, why, error);
}

/** Returns the failure of a data directory that can't be written or read. */
export function unusable(directory: string, why: string, cause: unknown): Failure {
  return new Failure('invalidInput', `The data directory ${directory} can't be used: ${why}.`, {
    hint: remark`Name another one: ${withOwnData}`,
    cause,
  });
}
