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
import { Failure } from '../../lib/errors.ts';
import { AtomicFile, temporaryName } from '../../lib/files/atomic-write.ts';
import { replacesFile, unwritable } from '../../lib/files/file-failure.ts';
import { makePrivateDirectory, privateFile } from '../../lib/files/private-file.ts';
import type { FileToWrite } from './tenant-files.ts';

/**
 * Returns the paths, below a folder, of the files that are there and hold something else.
 * @throws Failure `invalidInput` where one has no place there
 */
export function filesInTheWay(folder: string, files: readonly FileToWrite[]): readonly string[] {
  return files.filter(({ path, text }) => holdsOther(join(folder, path), text)).map(({ path }) => path);
}

function holdsOther(path: string, text: string): boolean {
  const parent = dirname(path);
  try {
    // With a slash at the end, what is no directory fails: from Node 22 on the call below takes it for no entry.
    if (existsSync(parent)) statSync(`${parent}/`);
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
 * @throws Failure `invalidInput` where that is impossible; `partlyDone` where it turned out only once some were in their places
 */
export function writeFiles(folder: string, files: readonly FileToWrite[]): void {
  if (existsSync(folder)) {
    replaceFiles(folder, files);
    return;
  }
  const aside = temporaryName(folder);
  try {
    mkdirSync(aside);
    for (const file of files) {
      const path = join(aside, file.path);
      makeFolder(path, file.isSecret);
      writeFileSync(path, file.text, { mode: file.isSecret ? privateFile : 0o666, flag: 'wx' });
    }
    renameSync(aside, folder);
  } catch (error) {
    throw unwritable(folder, error);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Writes each file beside its place first: a folder in there may be of another file system, which no rename leads to. */
function replaceFiles(folder: string, files: readonly FileToWrite[]): void {
  const places = files.map((file) => {
    const to = join(folder, file.path);
    return { file, to, written: new AtomicFile(to, { isShared: !file.isSecret, sync: false }) };
  });
  const begun: AtomicFile[] = [];
  let placed = 0;
  // What is worked at: the file that a failure is of.
  let at = folder;
  try {
    for (const { file, written, to } of places) {
      at = to;
      makeFolder(to, file.isSecret);
      // Whatever is no file would stop the others halfway.
      replacesFile(to);
      begun.push(written);
      written.write(file.text);
    }
    for (const { written, to } of places) {
      at = to;
      written.place();
      placed += 1;
    }
  } catch (error) {
    const failure = unwritable(at, error);
    if (placed === 0 || !(failure instanceof Failure)) throw failure;
    throw new Failure('partlyDone', `${failure.message} Of ${files.length} files ${placed} are written.`, {
      hint: 'The lock is as it was. Run it again once that can be written: it writes them all.',
      cause: error,
    });
  } finally {
    // Only those in folders that exist: from Node 22 on, removing a path that leads through a file fails.
    for (const file of begun) file.discard();
  }
}

/** Makes the folder of a file: a team's own, or one that holds secrets. */
function makeFolder(file: string, isSecret = false): void {
  const folder = dirname(file);
  if (isSecret) makePrivateDirectory(folder);
  else if (!existsSync(folder)) mkdirSync(folder);
}
