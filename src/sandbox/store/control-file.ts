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
export const controlFileName = 'control.json';

export const controlFile = z.object({
  /** The address of the control channel, and its token. */
  url: z.url(),
  token: z.string(),
  pid: z.int(),
  base_url: z.url(),
});

export type ControlFile = z.infer<typeof controlFile>;

/** Returns the control file of a data directory's sandbox, which is running or was killed; undefined if there is none. */
export function readControlFile(directory: string): ControlFile | undefined {
  try {
    return z.safeParse(controlFile, parseJson(readOwnText(join(directory, controlFileName)))).data;
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

/** Returns whether a data directory has the control file of a sandbox, which is running or was killed. */
export function hasControlFile(directory: string): boolean {
  return existsSync(join(directory, controlFileName));
}

/** Writes the control file. The caller holds the directory's lock. */
export function writeControlFile(directory: string, content: ControlFile): void {
  writeFileAtomically(join(directory, controlFileName), `${JSON.stringify(content)}\n`);
}

/** Removes the control file when the sandbox has stopped. */
export function removeControlFile(directory: string): void {
  rmSync(join(directory, controlFileName), { force: true });
}
