import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { readRegularText } from '../../lib/files/text-input.ts';

/** The content of a data directory's file `engine` if the rows of its sandbox are on a server. */
export const onServer = 'PostgreSQL (server)';

/**
 * Returns the content of a data directory's file `engine`, or undefined if it has none: then the rows are in the
 * directory itself. Earlier versions stored the name of the engine there: `PGlite 0.5 (PostgreSQL 18)`.
 */
export function engineIn(directory: string): string | undefined {
  const file = join(directory, 'engine');
  return lstatSync(file, { throwIfNoEntry: false }) ? readRegularText(file).trim() : undefined;
}

/** Writes a data directory's file `engine`. */
export function nameEngine(directory: string, name: string): void {
  writeFileAtomically(join(directory, 'engine'), `${name}\n`);
}
