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

/** What files are synced, and how their documents are called. */
export interface FilesInput extends FileChoice {
  readonly asText: readonly string[];
  /** Documents are called by the path below the folder, and not by the file's name alone. */
  readonly nameBy: NameBy;
  /** The line that does so. */
  readonly byPath: CommandLine;
}

/** The files beneath a folder. */
export interface FolderFiles {
  readonly files: readonly LocalFile[];
  /** Those that can't be sent by their names, or can't be read, and folders that can't, by their paths below the folder. */
  readonly unread: readonly RefusedSource[];
  /** True if nothing is at a path below the folder any more; where that can't be known it is not gone. */
  isGone(key: string): boolean;
}

/**
 * Finds the files below a folder, and hashes each.
 * @param ledger the path of the ledger, which is none of them
 * @throws Failure `invalidInput` where the folder is not there, where nothing is in it, and for names that collide; the
 *   signal's reason
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
    // None of them is the ledger, or its lock.
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

/** Looks whether a document can be sent under a name, and takes the hash of its file. */
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
    // No line of docs upload helps here.
    const hint = reason === 'name' ? 'Rename the file, or skip it with --exclude.' : thrown.hint;
    return { reason, failure: thrown.withHint(hint) };
  }
}

/** Returns the failure of a file that something writes to. */
export function changingFailure(key: string): Failure {
  return new Failure('invalidInput', `${key} changed while it was read.`, {
    hint: 'Run it again when the file no longer changes.',
  });
}

/**
 * Returns the hash of a file with its state, after anything else that waits, such as a signal, had its turn.
 * @throws Failure `invalidInput` for a file that can't be read, or changes in the meantime, and the signal's reason
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
 * Returns whether something is at a path below a folder, with `/` and in NFC, by these very names: by one of other case, or
 * composed in another way, a file system may find a file too. Each folder is read once.
 */
function pathChecker(folder: string): (key: string) => boolean {
  /** What is in a folder by its name in NFC. */
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
    // A part of the path that is gone, or a file now.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw readFailure(folder, error);
  }
}
