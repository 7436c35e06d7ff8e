import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './error-code.ts';

/** Mode of a file that only its owner may read. */
export const privateFile = 0o600;

/** Mode of a directory that only its owner may enter. */
const privateDirectory = 0o700;

/** Permissions that let others than the owner change a file. */
const writableByOthers = 0o022;

/** Deeper than any directory that is meant. */
const maxParents = 64;

/**
 * Makes a directory that only its owner may enter. One that is there already keeps its mode: a shared one can be named by
 * mistake, and closing it would lock everybody else out. Missing parents are made one at a time: Node's recursive mkdir
 * never returns below directories such as /proc.
 * @throws the file system's error where that is impossible
 */
export function makePrivateDirectory(directory: string): void {
  const missing: string[] = [];
  for (let path = directory; !isThere(path) && missing.length < maxParents; path = dirname(path))
    missing.unshift(path);
  for (const path of missing) makeOne(path);
  // The separator makes the system refuse what is a file.
  statSync(`${directory}${sep}`);
}

/** True if no other user can have written the file, or into the directory. On Windows only its user can reach what is botctl's own. */
export function isOursAlone({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean {
  return !process.geteuid || (uid === process.geteuid() && (mode & writableByOthers) === 0);
}

/**
 * Writes a file of botctl's own: as `replacePrivateFile`, in a directory that only its owner may enter.
 * @throws the file system's error where that is impossible; what was there before is then still there
 */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  makePrivateDirectory(dirname(path));
  replacePrivateFile(path, content);
}

/**
 * Writes a file that only its owner may read, and leaves its directory, which may be anybody's, as it is.
 * Readers see the old content or the new one, never a part, and the new one survives a power cut.
 * @throws the file system's error where that is impossible; what was there before is then still there
 */
export function replacePrivateFile(path: string, content: string | Uint8Array): void {
  replacePrivateFileBy(path, (temporary) => writeThrough(temporary, content));
}

/**
 * Writes a new file of botctl's own, which appears whole or not at all and survives a power cut, in a directory that only
 * its owner may enter.
 * @throws the file system's error, `EEXIST` where a file is there
 */
export function writeNewPrivateFile(path: string, content: string | Uint8Array): void {
  makePrivateDirectory(dirname(path));
  const temporary = temporaryName(path);
  try {
    writeThrough(temporary, content);
    placeNewFile(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  synchroniseDirectory(dirname(path));
}

/**
 * Replaces a file as `replacePrivateFile` does, with content that something else writes.
 * @param write writes all of it to a new file that only its owner may read, and waits until it is on the disk
 * @throws the file system's error, and whatever `write` throws; what was there before is then still there
 */
export function replacePrivateFileBy(path: string, write: (temporary: string) => void): void {
  replaceWith(path, write);
  synchroniseDirectory(dirname(path));
}

/**
 * Writes a file that only its owner may read, and that can be made again: as `replacePrivateFile`, but it need
 * not survive a power cut, so the disk isn't waited for.
 * @throws the file system's error where that is impossible; what was there before is then still there
 */
export function replaceCacheFile(path: string, content: string | Uint8Array): void {
  replaceWith(path, (temporary) => writeFileSync(temporary, content, { mode: privateFile, flag: 'wx' }));
}

/**
 * Gives a new file, which is on the disk, the path that it is meant for. Unlike a rename this replaces nothing: of several
 * processes one puts its file there. The other name is the caller's to remove.
 * @throws the file system's error, `EEXIST` where a file is there
 */
export function placeNewFile(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // A file system without links.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
    const copy = openSync(path, 'r+');
    fsyncSync(copy);
    closeSync(copy);
  }
}

function replaceWith(path: string, write: (temporary: string) => void): void {
  const temporary = temporaryName(path);
  try {
    write(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Returns a name beside a path for what is to be put there. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
}

/** What file systems answer that can't synchronise a directory, such as those of some network drives. */
const unsynchronised: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EPERM']);

/** A rename is durable once its directory is. Windows can't open one, and needs it not; some file systems have no such thing. */
export function synchroniseDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!unsynchronised.has(errorCode(error) ?? '')) throw error;
  } finally {
    closeSync(handle);
  }
}

/** As `synchroniseDirectory`; other work goes on while the disk is waited for. */
export async function synchroniseDirectoryMeanwhile(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    await promisify(fsync)(handle);
  } catch (error) {
    if (!unsynchronised.has(errorCode(error) ?? '')) throw error;
  } finally {
    closeSync(handle);
  }
}

function writeThrough(path: string, content: string | Uint8Array): void {
  const handle = openSync(path, 'wx', privateFile);
  try {
    writeFileSync(handle, content);
    // The umask may have taken more than it should.
    fchmodSync(handle, privateFile);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function makeOne(directory: string): void {
  try {
    mkdirSync(directory, { mode: privateDirectory });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
