import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFileInUse } from '../../database/sqlite-driver.ts';
import { writeReason } from '../../lib/files/file-failure.ts';
import { SandboxProblem } from '../problem.ts';
import { type ControlFile, readControlFile, writeControlFile } from './control-file.ts';
import { engineIn, onServer } from './engine.ts';

/** The log file of a background sandbox in its data directory. */
export const ownLog = 'sandbox.log';

/**
 * The database of a data directory. The process that serves the directory holds its lock; if the rows are on a server,
 * it contains nothing else.
 */
export const databaseFile = 'sandbox.db';

/** Returns the failure for a data directory that another process, or another store of this one, serves. */
export function inUseProblem(directory: string, cause?: unknown): SandboxProblem {
  const running = readControlFile(directory);
  const holder = running ? `the sandbox at ${running.base_url} (process ${running.pid})` : 'another process';
  return new SandboxProblem(
    `Data directory ${directory} is in use by ${holder}.`,
    { code: 'dataInUse' },
    { cause },
  );
}

/** Returns whether a process has a data directory open. */
export function isInUse(directory: string): boolean {
  return isFileInUse(join(directory, databaseFile));
}

/** Returns whether a sandbox is running on a data directory, and can be called. */
export function isRunningOn(directory: string): boolean {
  return readControlFile(directory) !== undefined && isInUse(directory);
}

/** Returns whether a directory is the data directory of a sandbox. */
export function hasData(directory: string): boolean {
  return [databaseFile, 'engine'].some((name) => existsSync(join(directory, name)));
}

/**
 * Refuses a directory that contains other files, or the data of an earlier version, before anything is changed.
 * @throws SandboxProblem
 */
export function refuseForeign(directory: string): void {
  if (!existsSync(directory)) return;
  refuseEarlier(directory);
  if (hasData(directory)) return;
  // An interrupted start leaves these files; hidden ones are temporary.
  const isOurs = (name: string): boolean => /^\.?engine(\.|$)/.test(name) || name === ownLog;
  const names = readdirSync(directory);
  if (names.includes('key.json') && names.includes('files'))
    throw damagedProblem(directory, `${databaseFile} is missing`);
  const foreign = names.find((name) => !isOurs(name));
  if (foreign === undefined) return;
  throw new SandboxProblem(`${directory} contains other files, such as ${foreign}.`, {
    code: 'directoryOccupied',
  });
}

/**
 * Refuses the data of an earlier botctl.
 * @throws SandboxProblem for data stored with PGlite
 */
function refuseEarlier(directory: string): void {
  const engine = engineIn(directory);
  const isEarlier = engine === undefined ? existsSync(join(directory, 'database')) : engine !== onServer;
  if (!isEarlier) return;
  throw new SandboxProblem(
    `The data in ${directory} was written by an earlier botctl with ${engine ?? 'PGlite'}, which this version can't read or migrate. Nothing was changed.`,
    { code: 'dataOfEarlierVersion', directory },
  );
}

/**
 * Returns the failure for damaged data.
 * @param what the file and its problem
 */
export function damagedProblem(directory: string, what: string, cause?: unknown): SandboxProblem {
  return new SandboxProblem(
    `The data in ${directory} is damaged: ${what}. Nothing was changed.`,
    { code: 'dataDamaged' },
    { cause },
  );
}

/** Converts an error of the file system to a failure; returns any other error unchanged. */
export function dataFailure(error: unknown, directory: string): unknown {
  const fromFileSystem = error instanceof Error && 'syscall' in error;
  const why = fromFileSystem ? writeReason(error) : undefined;
  if (why === undefined) return error;
  return unusableProblem(directory, why, error);
}

/**
 * Writes the control file of the sandbox that runs on a data directory.
 * @throws SandboxProblem if it can't be written
 */
export function publishControlFile(directory: string, content: ControlFile): void {
  try {
    writeControlFile(directory, content);
  } catch (error) {
    throw dataFailure(error, directory);
  }
}

/** Returns the failure of a data directory that can't be written or read. */
export function unusableProblem(directory: string, why: string, cause: unknown): SandboxProblem {
  return new SandboxProblem(
    `Data directory ${directory} can't be used: ${why}.`,
    { code: 'dataUnusable' },
    { cause },
  );
}
