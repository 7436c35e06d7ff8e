import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../../lib/files/private-file.ts';
import { readRegularText } from '../../lib/files/text-input.ts';

/**
 * The engine whose files a data directory holds. Another minor version of PGlite, or another PostgreSQL, can't
 * read them and would say no more than "failed to initialize properly".
 */
export const engine = 'PGlite 0.5 (PostgreSQL 18)';

/** What the data directory of a sandbox says whose rows are on a server. */
export const onServer = 'PostgreSQL (server)';

/** Returns what a data directory says has its rows, or undefined if it says nothing. */
export function engineIn(directory: string): string | undefined {
  const file = join(directory, 'engine');
  return lstatSync(file, { throwIfNoEntry: false }) ? readRegularText(file).trim() : undefined;
}

/** Says in a data directory what has its rows. */
export function nameEngine(directory: string, name: string): void {
  writePrivateFile(join(directory, 'engine'), `${name}\n`);
}
