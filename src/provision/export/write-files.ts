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
import { join } from 'node:path';
import { replacesFile, unwritable } from '../../lib/files/file-failure.ts';
import { privateFile, temporaryName } from '../../lib/files/private-file.ts';
import type { FileToWrite } from './tenant-files.ts';

/** Mode of a directory that only its owner may enter. */
const privateDirectory = 0o700;

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
    for (const file of files) {
      makeFolders(aside, file);
      writeFileSync(join(aside, file.path), file.text, {
        mode: file.isSecret ? privateFile : 0o666,
        flag: 'wx',
      });
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
  for (const file of files) {
    makeFolders(to, file);
    // Whatever is no file would stop the others halfway.
    replacesFile(join(to, file.path));
  }
  for (const { path } of files) renameSync(join(from, path), join(to, path));
}

/** Makes the folders that lead to a file. One by one, as `makePrivateDirectory` does. */
function makeFolders(root: string, { path, isSecret }: FileToWrite): void {
  const parts = path.split('/').slice(0, -1);
  for (const [at] of parts.entries()) {
    const folder = join(root, ...parts.slice(0, at + 1));
    if (!existsSync(folder)) mkdirSync(folder, isSecret ? privateDirectory : undefined);
  }
}
