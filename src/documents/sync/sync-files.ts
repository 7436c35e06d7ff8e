import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorCode, Failure } from '../../lib/errors.ts';
import { readFailure } from '../../lib/files/file-failure.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import type { CommandLine } from '../../lib/text/remark.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { NotCounted } from '../count/not-counted.ts';
import { type FileChoice, FileSearch, type FoundFile, noFilesFailure } from '../find-files.ts';
import { checkDocumentName } from '../kind.ts';
import { contentHash, hasChanged, readFileState } from '../local-file.ts';
import { checkName, checkNames, documentName, type NameBy } from '../upload/document-names.ts';
import type { RefusedSource } from '../upload/refused-files.ts';
import { realPath } from './ledger.ts';
import type { LocalFile } from './sync-plan.ts';

/** The files to sync, and how their documents are named. */
export interface FilesInput extends FileChoice {
  readonly asText: readonly string[];
  /** Whether documents are named by the path below the folder or by the file name. */
  readonly nameBy: NameBy;
  /** The command that names them by path. */
  readonly byPath: CommandLine;
}

/** The files below a folder. */
export interface FolderFiles {
  readonly files: readonly LocalFile[];
  /** Files whose name can't be sent, or that can't be read, and unreadable folders, by their paths below the folder. */
  readonly unread: readonly RefusedSource[];
  /** Returns true if a path below the folder no longer exists; false if that can't be determined. */
  isGone(key: string): boolean;
}

/**
 * Finds the files below a folder, and hashes each.
 * @param ledger the path of the ledger, which is skipped
 * @throws Failure `invalidInput` if the folder is missing or empty, and for names that collide; the
 * signal's reason
 */
export async function readFolder(
  { reporter, signal }: Pick<ResourceContext, 'reporter' | 'signal'>,
  folder: string,
  ledger: string,
  input: FilesInput,
): Promise<FolderFiles> {
  const place = await stat(folder).catch((error: unknown) => {
    throw readFailure(folder, error);
  });
  if (!place.isDirectory())
    throw new Failure('invalidInput', `${folder} is not a folder.`, {
      hint: 'Give the folder that contains it.',
    });
  const real = realPath(resolve(folder));
  const search = new FileSearch(input);
  const found: FoundFile[] = [];
  const files: LocalFile[] = [];
  const unread: RefusedSource[] = [];
  const closed: string[] = [];
  const progress = reporter.progress(`Reading ${folder}`);
  try {
    // The ledger and its lock are skipped.
    const own = relative(real, ledger).split(sep).join('/');
    for await (const one of search.find([folder])) {
      if (one.below !== own && one.below !== `${own}.lock`) found.push(one);
      signal.throwIfAborted();
    }
    checkNames(found, input.nameBy, input.asText, input.byPath);
    for (const one of found) {
      const key = one.below.normalize('NFC');
      const name = documentName(one, input.nameBy);
      if (one.failure) closed.push(key === '' ? '' : `${key}/`);
      const look = await inspectFile(one, name, input.asText, signal);
      if ('failure' in look) unread.push({ path: key, name, ...look });
      else files.push({ path: one.path, key, name, ...look });
    }
  } finally {
    progress.stop();
  }
  if (search.links > 0) reporter.note(`Skipped ${pluralize(search.links, 'symbolic link')} in the folder.`);
  if (files.length + unread.length === 0) throw noFilesFailure(`sync in ${folder}`);
  const isThere = pathChecker(folder);
  const isGone = (key: string): boolean =>
    !closed.some((beneath) => key.startsWith(beneath)) && !isThere(key);
  return { files, unread, isGone };
}

/** Checks that a document can be sent under a name, and hashes its file. */
async function inspectFile(
  found: FoundFile,
  name: string,
  asText: readonly string[],
  signal: AbortSignal,
): Promise<Pick<LocalFile, 'size' | 'modified' | 'sha256'> | Pick<RefusedSource, 'reason' | 'failure'>> {
  let reason: RefusedSource['reason'] = 'unreadable';
  try {
    if (found.failure) throw found.failure;
    checkDocumentName(name, asText);
    reason = 'name';
    checkName(name);
    reason = 'unreadable';
    return await hashOf(found, signal);
  } catch (thrown) {
    if (!(thrown instanceof Failure) || !thrown.isWrongInput) throw thrown;
    if (thrown instanceof NotCounted) return { reason: thrown.reason, failure: thrown };
    // The hint for docs upload does not apply here.
    const hint = reason === 'name' ? 'Rename the file, or skip it with --exclude.' : thrown.hint;
    return { reason, failure: thrown.withHint(hint) };
  }
}

/** Returns the failure for a file that is being written. */
export function changingFailure(key: string): Failure {
  return new Failure('invalidInput', `${key} changed while it was read.`, {
    hint: 'Run it again when the file no longer changes.',
  });
}

/**
 * Returns the hash of a file with its state, after a turn of the event loop, so that signals are handled.
 * @throws Failure `invalidInput` for a file that can't be read, or changes meanwhile, and the signal's reason
 */
async function hashOf(
  { path }: FoundFile,
  signal: AbortSignal,
): Promise<Pick<LocalFile, 'size' | 'modified' | 'sha256'>> {
  await setImmediate();
  signal.throwIfAborted();
  try {
    const { size, modified } = readFileState(path);
    const sha256 = await contentHash(path, size, signal);
    if (hasChanged({ path, size, modified })) throw changingFailure(path);
    return { size, modified, sha256 };
  } catch (error) {
    throw readFailure(path, error);
  }
}

/**
 * Returns a function that checks whether a path exists below a folder, with `/` and in NFC, with exactly these names: a
 * file system may ignore case or composition. Each folder is read once.
 */
function pathChecker(folder: string): (key: string) => boolean {
  /** The names in a folder by their form in NFC. */
  const known = new Map<string, ReadonlyMap<string, string>>();
  return (key) => {
    let place = folder;
    for (const part of key.split('/')) {
      const names = known.get(place) ?? new Map(namesIn(place).map((name) => [name.normalize('NFC'), name]));
      known.set(place, names);
      const name = names.get(part);
      if (name === undefined) return false;
      place = join(place, name);
    }
    return true;
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // A part of the path is missing, or is a file now.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw readFailure(folder, error);
  }
}
