import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, normalize, parse, resolve, sep } from 'node:path';
import { errorCode, Failure } from '../lib/errors.ts';
import { readFailure } from '../lib/files/file-failure.ts';
import { joinFailures } from './join-failures.ts';
import { fitsGlob } from './kind.ts';

/** The files to choose. Patterns match the name, or the path below the folder. */
export interface FileChoice {
  /** Only these; all if empty. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** A file, or a path that can't be read. */
export interface FoundFile {
  readonly path: string;
  /**
   * The path below the typed folder, or below the folders of a pattern before its first wildcard; for a typed file, its
   * path without leading `..`. With `/`.
   */
  readonly below: string;
  readonly failure?: Failure;
}

/** The name of a file or folder, and its path below the typed one. */
interface Place {
  readonly name: string;
  readonly path: string;
  readonly below: string;
}

/**
 * Finds files by typed paths: a file, a folder with everything below it, or a pattern that no shell has expanded:
 * `*`, `?`, and `**` for any folders. Yields each file once, with the first path that leads to it; the files of a folder are
 * sorted by name. A folder is read when its turn comes, so that only the names of one folder at a time are in memory.
 *
 * Below a folder, and with a pattern, it skips hidden files, files that Office and systems create beside documents, and
 * links, which may lead anywhere, and in circles. A typed path is always used, even if it is a link.
 */
export class FileSearch {
  readonly #choice: FileChoice;
  readonly #seen = new Set<string>();
  #links = 0;

  constructor(choice: FileChoice) {
    this.#choice = choice;
  }

  /** The number of links below folders, which are not followed. */
  get links(): number {
    return this.#links;
  }

  /**
   * @throws Failure `invalidInput`, before the first file, that lists each missing path and each
   * pattern without a match
   */
  async *find(typed: readonly string[]): AsyncGenerator<FoundFile> {
    const missing: Failure[] = [];
    for (const path of typed) {
      await checkFound(path).catch((thrown: unknown) => {
        if (!(thrown instanceof Failure)) throw thrown;
        missing.push(thrown);
      });
    }
    const failure = joinFailures(missing);
    if (failure) throw failure;
    yield* this.unchecked(typed);
  }

  /** The same without checking that there are any. */
  async *unchecked(typed: readonly string[]): AsyncGenerator<FoundFile> {
    for (const path of typed) {
      // Then no file can be found twice.
      if (typed.length === 1 && !hasWildcard(path)) {
        yield* this.#named(path);
        return;
      }
      for await (const one of this.#named(path)) {
        const place = resolve(one.path);
        if (this.#seen.has(place)) continue;
        this.#seen.add(place);
        yield one;
      }
    }
  }

  async *#named(path: string): AsyncGenerator<FoundFile> {
    const kind = await kindOf(path);
    // A name may contain a star: an existing file wins over the pattern.
    if (kind === 'nothing' && hasWildcard(path)) {
      const [root, parts] = splitPattern(path);
      yield* this.#fitting(root, parts, '');
      return;
    }
    const name = path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
    if (kind === 'folder') yield* this.#beneath(path, '');
    else if (this.#isMeant({ name, path, below: name })) yield { path, below: typedPath(path) };
  }

  /** Yields the files in a folder and below it. */
  async *#beneath(folder: string, below: string): AsyncGenerator<FoundFile> {
    const entries = await entriesOf(folder);
    if (entries instanceof Failure) {
      yield { path: folder, below, failure: entries };
      return;
    }
    for (const entry of entries) {
      if (isExcludedName(entry.name)) continue;
      yield* this.#entry(entry, {
        name: entry.name,
        path: join(folder, entry.name),
        below: joinBelow(below, entry),
      });
    }
  }

  async *#entry(entry: Dirent, place: Place): AsyncGenerator<FoundFile> {
    if (entry.isSymbolicLink()) this.#links += 1;
    else if (entry.isDirectory()) {
      if (!this.#isExcluded(place)) yield* this.#beneath(place.path, place.below);
    } else if (entry.isFile() && this.#isMeant(place)) yield { path: place.path, below: place.below };
  }

  /**
   * Yields the files that match a pattern, part by part.
   * @param isDeep true after `**`: the folders here are searched anyway
   */
  async *#fitting(
    folder: string,
    [part, ...rest]: readonly string[],
    below: string,
    isDeep = false,
  ): AsyncGenerator<FoundFile> {
    if (part === undefined) return;
    const entries = await entriesOf(folder === '' ? '.' : folder);
    // An unreadable folder has no matches.
    if (entries instanceof Failure) return;
    if (part === '**') {
      yield* rest.length > 0 ? this.#fitting(folder, rest, below, true) : this.#beneath(folder, below);
      if (rest.length === 0) return;
    }
    for (const entry of entries) {
      const place = { name: entry.name, path: join(folder, entry.name), below: joinBelow(below, entry) };
      if (isExcludedName(entry.name) && !(part.startsWith('.') && entry.name.startsWith('.'))) continue;
      if (part === '**') {
        if (entry.isDirectory() && !this.#isExcluded(place))
          yield* this.#fitting(place.path, [part, ...rest], place.below);
      } else if (fitsPattern(entry.name, part)) {
        if (rest.length > 0 && entry.isDirectory()) yield* this.#fitting(place.path, rest, place.below);
        else if (rest.length === 0 && !(isDeep && entry.isDirectory())) yield* this.#entry(entry, place);
      }
    }
  }

  #isMeant(place: Place): boolean {
    const { include } = this.#choice;
    return (include.length === 0 || fitsAny(place, include)) && !this.#isExcluded(place);
  }

  #isExcluded(place: Place): boolean {
    return fitsAny(place, this.#choice.exclude);
  }
}

function joinBelow(below: string, { name }: Dirent): string {
  return below === '' ? name : `${below}/${name}`;
}

/** Returns the names in a path, without root, drive, `.` and `..`. */
function typedPath(path: string): string {
  const names = normalize(path).slice(parse(path).root.length).split(sep);
  return names.filter((name) => name !== '' && name !== '.' && name !== '..').join('/');
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'nothing'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    const code = errorCode(error);
    // A name with a wildcard may exceed the length limit of names.
    if (hasWildcard(path) && ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL'].includes(code ?? ''))
      return 'nothing';
    throw readFailure(path, error);
  }
}

/** Returns the entries of a folder in an order that does not depend on the file system or on how it composes accents. */
async function entriesOf(folder: string): Promise<readonly Dirent[] | Failure> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const keyed = entries.map((entry) => ({ entry, key: entry.name.normalize('NFC') }));
    return keyed
      .sort((a, b) => compare(a.key, b.key) || compare(a.entry.name, b.entry.name))
      .map(({ entry }) => entry);
  } catch (error) {
    const failure = readFailure(folder, error);
    if (failure instanceof Failure) return failure;
    throw failure;
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Matches hidden files, lock files of Office (`~$menu.docx`), and files in which Windows stores data about a folder. */
function isExcludedName(name: string): boolean {
  return /^(\.|~\$)|^(thumbs\.db|desktop\.ini)$/i.test(name);
}

function hasWildcard(path: string): boolean {
  return /[*?]/.test(path);
}

/** Returns the folder before the first wildcard, empty for the current one, and the parts after it. */
function splitPattern(pattern: string): readonly [root: string, parts: readonly string[]] {
  const parts = pattern.split(process.platform === 'win32' ? /[\\/]/ : '/');
  const first = parts.findIndex(hasWildcard);
  const root = parts.slice(0, first).join('/');
  const rest = parts
    .slice(first)
    .filter((part, at, all) => part !== '' && !(part === '**' && all[at - 1] === '**'));
  return [root === '' && pattern.startsWith('/') ? '/' : root, rest];
}

/** macOS may compose the accents of a name differently from the typed pattern. */
function fitsPattern(name: string, pattern: string): boolean {
  return fitsGlob(name.normalize('NFC'), pattern.normalize('NFC'));
}

function fitsAny({ name, below }: Place, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => fitsPattern(name, pattern) || fitsPattern(below, pattern));
}

/**
 * Checks that a path exists, or that a pattern has a match.
 * @throws Failure `invalidInput`
 */
export async function checkFound(path: string): Promise<void> {
  if ((await kindOf(path)) !== 'nothing') return;
  for await (const _ of new FileSearch({ include: [], exclude: [] }).unchecked([path])) return;
  throw new Failure('invalidInput', `No file matches ${path}.`, {
    hint: 'Check the pattern: * matches any characters of a name, ** any folders.',
  });
}

/** Returns the failure if no file remains. @param purpose of the files, such as `count` */
export function noFilesFailure(purpose: string): Failure {
  return new Failure('invalidInput', `No files to ${purpose}.`, {
    hint: 'Check --include and --exclude. Hidden files and links in a folder are skipped.',
  });
}
