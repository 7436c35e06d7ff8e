import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { readFailure } from '../../lib/files/file-failure.ts';
import { readOwnText } from '../../lib/files/read-file.ts';
import { parseJson } from '../../lib/json-object.ts';

/**
 * The file of a data directory that says which sandbox runs on it. It is no lock: a process that was killed leaves it until
 * the next start.
 */
export const noteFile = 'control.json';

export const note = z.object({
  /** The address of the control channel, and its token. */
  url: z.url(),
  token: z.string(),
  pid: z.int(),
  base_url: z.url(),
});

export type Note = z.infer<typeof note>;

/** Returns the note of the sandbox that runs on a data directory, or ran until it was killed; undefined if there is none. */
export function readNote(directory: string): Note | undefined {
  try {
    return z.safeParse(note, parseJson(readOwnText(join(directory, noteFile)))).data;
  } catch {
    return undefined;
  }
}

/** Returns the text of a file of a sandbox, or undefined if there is none. @throws Failure `invalidInput` if it can't be read */
export function readIfExists(file: string): string | undefined {
  try {
    return readOwnText(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw readFailure(file, error);
  }
}

/** Returns whether a data directory has the note of a sandbox, which runs or was killed. */
export function hasNote(directory: string): boolean {
  return existsSync(join(directory, noteFile));
}

/** Writes the note. The caller holds the lock of the directory. */
export function writeNote(directory: string, written: Note): void {
  writeFileAtomically(join(directory, noteFile), `${JSON.stringify(written)}\n`);
}

/** Removes the note: the sandbox doesn't run any more. */
export function removeNote(directory: string): void {
  rmSync(join(directory, noteFile), { force: true });
}
