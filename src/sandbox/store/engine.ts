import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { readRegularText } from '../../lib/files/text-input.ts';

/** What the file `engine` of a data directory says if the rows of its sandbox are on a server. */
export const onServer = 'PostgreSQL (server)';

/**
 * Returns what a data directory says has its rows, or undefined if it says nothing, as it does if it has them itself. Earlier
 * versions named the engine there: `PGlite 0.5 (PostgreSQL 18)`.
 */
export function engineIn(directory: string): string | undefined {
  const file = join(directory, 'engine');
  return lstatSync(file, { throwIfNoEntry: false }) ? readRegularText(file).trim() : undefined;
}

/** Says in a data directory what has its rows. */
export function nameEngine(directory: string, name: string): void {
  writeFileAtomically(join(directory, 'engine'), `${name}\n`);
}
