import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDatabaseError } from '../../database/error.ts';
import { type Database, openFile } from '../../database/open.ts';
import { systemClock } from '../../lib/clock.ts';
import { readControlFile, removeControlFile } from './control-file.ts';
import { damagedProblem, databaseFile, inUseProblem, unusableProblem } from './ownership.ts';
import type { Tables } from './tables.ts';

/**
 * Milliseconds that a start waits for a running sandbox, and for a process that is opening or closing the directory.
 */
const patienceMs = { running: 250, passing: 5000 } as const;

/** Milliseconds between two attempts. */
const pauseMs = 25;

/**
 * Opens the database of a data directory, which locks the directory until it is closed.
 * @throws SandboxProblem if another process serves it, it is damaged or can't be written
 * @throws Failure `invalidInput` if SQLite is missing
 * @throws the file system's error if the directory can't be written
 */
export async function openOwnDatabase(directory: string): Promise<Database<Tables>> {
  const begun = systemClock.now();
  for (;;) {
    try {
      const database = await openFile<Tables>(join(directory, databaseFile), {
        isShared: false,
        user: 'The sandbox',
      });
      // Removes the control file of a killed process: otherwise the next process that finds the directory in use would report
      // that one.
      removeControlFile(directory);
      return database;
    } catch (error) {
      if (!isDatabaseError(error, 'busy')) throw ownFailure(directory, error);
      const patience = readControlFile(directory) ? patienceMs.running : patienceMs.passing;
      if (systemClock.now() - begun >= patience) throw inUseProblem(directory, error);
      await systemClock.sleep(pauseMs);
    }
  }
}

/** Converts an error of opening a data directory to a failure; returns any other error unchanged. */
export function ownFailure(directory: string, error: unknown): unknown {
  if (isDatabaseError(error, 'corrupt'))
    return damagedProblem(directory, `${databaseFile}: ${error.message}`, error);
  if (isDatabaseError(error, 'full')) return unusableProblem(directory, 'the disk is full', error);
  if (isDatabaseError(error, 'readOnly', 'cannotOpen', 'io'))
    return unusableProblem(directory, `${databaseFile}: ${error.message}`, error);
  return error;
}

/** Returns whether a directory of uploaded files has any. */
export function hasUploads(files: string): boolean {
  return readdirSync(files).length > 0;
}
