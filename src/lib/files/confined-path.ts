import { closeSync, existsSync, fstatSync, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { errorCode, Failure } from '../errors.ts';
import { didYouMean, mostSimilar } from '../text/similar.ts';
import { notRegularFileFailure, readFailure } from './file-failure.ts';
import { openNonBlocking } from './read-file.ts';
import { readOpenText } from './text-input.ts';

/**
 * Returns the text of a file referenced by another file. It must be in a directory or below, with links resolved: the
 * referencing file may come from elsewhere, and must not cause other files of this machine to be sent.
 * @param path the reference, relative to the directory
 * @param refused the failure if the file is elsewhere
 * @throws Failure `invalidInput`
 */
export function readConfined(path: string, directory: string, refused: Failure): string {
  const found = confinedPath(path, directory, refused);
  const target = join(directory, path);
  try {
    return withUnlinked(found, refused, (handle, opened) => {
      if (!opened.isFile()) throw notRegularFileFailure(target, opened, 'Name a file with the text.');
      return readOpenText(handle, target);
    });
  } catch (error) {
    throw readFailure(target, error);
  }
}

/**
 * Opens a file by its real path, and returns the result of work with it.
 * @throws `refused` if the file or a directory above it has been replaced by a link since the path was found; the file
 * system's error
 */
export function withUnlinked<T>(
  path: string,
  refused: Failure,
  work: (handle: number, opened: Stats) => T,
): T {
  const handle = openWithoutLinks(path, refused);
  try {
    const opened = fstatSync(handle);
    if (realpathSync(path) !== path || !isSameFile(opened, lstatSync(path))) throw refused;
    return work(handle, opened);
  } finally {
    closeSync(handle);
  }
}

/**
 * Returns the real path of a file in a directory or below, with all links resolved.
 * @param refused the failure if it is elsewhere
 * @throws Failure `invalidInput`
 */
export function confinedPath(path: string, directory: string, refused: Failure): string {
  if (escapesDirectory(path)) throw refused;
  try {
    const found = realpathSync(join(directory, path));
    if (escapesDirectory(relative(realpathSync(directory), found))) throw refused;
    return found;
  } catch (error) {
    const failure = readFailure(join(directory, path), error);
    const near =
      failure instanceof Failure && errorCode(error) === 'ENOENT' && similarPathHint(path, directory);
    throw near
      ? new Failure('invalidInput', `${failure.message} ${near}`, { ...failure, cause: error })
      : failure;
  }
}

/** Returns a sentence that suggests an existing path similar to a missing one, or undefined if there is none. */
function similarPathHint(path: string, directory: string): string | undefined {
  try {
    const steps = join(path).split(sep);
    const missing = steps.findIndex((_, at) => !existsSync(join(directory, ...steps.slice(0, at + 1))));
    const [before, name = ''] = [steps.slice(0, missing), steps[missing]];
    const place = realpathSync(join(directory, ...before));
    if (escapesDirectory(relative(realpathSync(directory), place))) return undefined;
    const names = readdirSync(place);
    if (names.some((one) => one.normalize('NFC') === name.normalize('NFC')))
      return 'A file there has the same name, but its accents are encoded differently. Rename it to this name.';
    const similar = mostSimilar(name, names);
    return similar === undefined ? undefined : didYouMean([...before, similar].join('/'));
  } catch {
    // The suggestion is optional.
    return undefined;
  }
}

/** Returns true if a relative path leads out of its directory. */
export function escapesDirectory(path: string): boolean {
  const steps = join(path).split(sep);
  return isAbsolute(path) || steps[0] === '..';
}

/**
 * Opens a file.
 * @throws `refused` if the file has been replaced by a link
 */
function openWithoutLinks(path: string, refused: Failure): number {
  try {
    return openNonBlocking(path, { followsLink: false });
  } catch (error) {
    throw errorCode(error) === 'ELOOP' ? refused : error;
  }
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}
