import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { replacesFile, unwritable } from '../../lib/files/file-failure.ts';
import { makePrivateDirectory, privateFile, temporaryName } from '../../lib/files/private-file.ts';
import type { FileToWrite } from './tenant-files.ts';

/**
 * Returns the paths, below a folder, of the files that are there and hold something else.
 * @throws Failure `invalidInput` where one has no place there
 */
export function filesInTheWay(folder: string, files: readonly FileToWrite[]): readonly string[] {
  return files.filter(({ path, text }) => holdsOther(join(folder, path), text)).map(({ path }) => path);
}

function holdsOther(path: string, text: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !(found.isFile() && readFileSync(path, 'utf8') === text);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** True if nothing is in a folder, or there is none. */
export function isFree(folder: string): boolean {
  try {
    return !existsSync(folder) || readdirSync(folder).length === 0;
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/**
 * Writes files into a folder, which is made if it isn't there: all of them, or none where one can't be written. What has the
 * name of one is replaced.
 * @throws Failure `invalidInput` where that is impossible
 */
export function writeFiles(folder: string, files: readonly FileToWrite[]): void {
  const isThere = existsSync(folder);
  // In the same file system as the place that they are meant for.
  const aside = isThere ? temporaryName(join(folder, 'export')) : temporaryName(folder);
  try {
    mkdirSync(aside);
    for (const { path, text, isSecret } of files) {
      const file = join(aside, path);
      makeFolder(file, isSecret);
      writeFileSync(file, text, { mode: isSecret ? privateFile : 0o666, flag: 'wx' });
    }
    if (isThere) moveAll(aside, folder, files);
    else renameSync(aside, folder);
  } catch (error) {
    throw unwritable(folder, error);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function moveAll(from: string, to: string, files: readonly FileToWrite[]): void {
  for (const { path, isSecret } of files) {
    makeFolder(join(to, path), isSecret);
    // Whatever is no file would stop the others halfway.
    replacesFile(join(to, path));
  }
  for (const { path } of files) renameSync(join(from, path), join(to, path));
}

/** Makes the folder of a file: a team's own, or one that holds secrets. */
function makeFolder(file: string, isSecret = false): void {
  const folder = dirname(file);
  if (isSecret) makePrivateDirectory(folder);
  else if (!existsSync(folder)) mkdirSync(folder);
}
