import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { readFailure } from '../../lib/files/file-failure.ts';
import { readOwnText } from '../../lib/files/read-file.ts';
import { parseJson } from '../../lib/json-object.ts';

/**
 * The file of a data directory with the address of its running sandbox. It is not a lock: a killed process leaves it
 * until the next start.
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

/** Returns the note of a data directory's sandbox, which is running or was killed; undefined if there is none. */
export function readNote(directory: string): Note | undefined {
  try {
    return z.safeParse(note, parseJson(readOwnText(join(directory, noteFile)))).data;
  } catch {
    return undefined;
  }
}

/**
 * Returns the text of a sandbox's file, or undefined if it does not exist.
 * @throws Failure `invalidInput` if it can't be read
 */
export function readIfExists(file: string): string | undefined {
  try {
    return readOwnText(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw readFailure(file, error);
  }
}

/** Returns whether a data directory has the note of a sandbox, which is running or was killed. */
export function hasNote(directory: string): boolean {
  return existsSync(join(directory, noteFile));
}

/** Writes the note. The caller holds the directory's lock. */
export function writeNote(directory: string, written: Note): void {
  writeFileAtomically(join(directory, noteFile), `${JSON.stringify(written)}\n`);
}

/** Removes the note when the sandbox has stopped. */
export function removeNote(directory: string): void {
  rmSync(join(directory, noteFile), { force: true });
}
