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
import { replacesFile, writeFailure } from '../../lib/files/file-failure.ts';
import { makePrivateDirectory, privateFile } from '../../lib/files/private-file.ts';
import type { FileToWrite } from './tenant-files.ts';

/**
 * Returns the paths of existing files whose content differs.
 * @throws Failure `invalidInput` if a file can't be written there
 */
export function conflictingFiles(folder: string, files: readonly FileToWrite[]): readonly string[] {
  return files.flatMap((file) => {
    const path = join(folder, file.path);
    const parent = dirname(path);
    try {
      // With a slash at the end, the call fails if the path is not a directory. From Node 22 on, the call below would report no
      // entry.
      if (existsSync(parent)) statSync(`${parent}/`);
      const found = statSync(path, { throwIfNoEntry: false });
      const isSame = found?.isFile() && readFileSync(path, 'utf8') === file.text;
      return found && !isSame ? [path] : [];
    } catch (error) {
      throw writeFailure(path, error);
    }
  });
}

/** Returns whether a folder is empty or missing. */
export function isEmptyFolder(folder: string): boolean {
  try {
    return !existsSync(folder) || readdirSync(folder).length === 0;
  } catch (error) {
    throw writeFailure(folder, error);
  }
}

/**
 * Writes all files into a folder, or none if one can't be written. Creates the folder, and replaces existing files.
 * @throws Failure `invalidInput` if a file can't be written; `partlyDone` if some files had been replaced before the failure
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
    throw writeFailure(folder, error);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Writes each file beside its target first: the folder may be on another file system, and a rename across file systems fails. */
function replaceFiles(folder: string, files: readonly FileToWrite[]): void {
  const places = files.map((file) => {
    const to = join(folder, file.path);
    return { file, to, written: new AtomicFile(to, { isShared: !file.isSecret, sync: false }) };
  });
  const begun: AtomicFile[] = [];
  let placed = 0;
  // The path for the message of a failure.
  let at = folder;
  try {
    for (const { file, written, to } of places) {
      at = to;
      makeFolder(to, file.isSecret);
      // A directory with this name would stop the renames halfway.
      replacesFile(to);
      begun.push(written);
      written.write(file.text);
    }
    for (const { written, to } of places) {
      at = to;
      written.commit();
      placed += 1;
    }
  } catch (error) {
    const failure = writeFailure(at, error);
    if (placed === 0 || !(failure instanceof Failure)) throw failure;
    throw new Failure('partlyDone', `${failure.message} ${placed} of ${files.length} files were written.`, {
      hint: 'The state file is unchanged. Fix that, then run it again: it writes all files.',
      cause: error,
    });
  } finally {
    // Only in folders that exist: from Node 22 on, removing a path that leads through a file fails.
    for (const file of begun) file.discard();
  }
}

/** Creates the folder of a file: one for a team, or one for secrets. */
function makeFolder(file: string, isSecret = false): void {
  const folder = dirname(file);
  if (isSecret) makePrivateDirectory(folder);
  else if (!existsSync(folder)) mkdirSync(folder);
}
