import { closeSync, fstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileLook } from '../documents/file.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { isOursAlone, makePrivateDirectory } from '../lib/files/private-file.ts';
import { openAtOnce } from '../lib/files/read-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { fileHash, unlessFailing } from './files.ts';

/** What is written today; anything else is as good as nothing. */
const version = 1;

/** No file system tells times that lie closer to each other than this from one another: FAT has every other second. */
const coarsestTimeMs = 2000;

/** Files of one folder whose hashes are kept. */
const maxFiles = 100_000;

/** Folders whose hashes are kept: those that were written last. */
const maxFolders = 32;

/** Hashes that were written longer ago are removed. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/** A file as it was when its hash was taken. */
interface Known {
  readonly mark: string;
  readonly sha256: string;
}

/**
 * The hashes of the files of a folder, so that a file is not read again as long as it is as it was, which its mark tells.
 * It need not be there: where it can't be read, or anybody else could have written it, every file is read.
 *
 * A file that changed right before its hash was taken could change again without getting another time; of such a one the
 * hash isn't kept. That is how git keeps its index.
 */
export class KnownHashes {
  readonly #directory: string;
  readonly #file: string;
  /** By the path below the folder. */
  readonly #before: ReadonlyMap<string, Known>;
  readonly #kept = new Map<string, Known>();
  #isOther = false;

  /**
   * @param cacheDirectory the place of all caches
   * @param files what says which files are meant: the folder, and what is chosen of it
   * @param isRead false to take every hash again
   */
  constructor(cacheDirectory: string, files: readonly unknown[], { isRead }: { readonly isRead: boolean }) {
    this.#directory = join(cacheDirectory, 'hashes');
    this.#file = join(this.#directory, `${fileHash(JSON.stringify(files))}.json`);
    this.#before = (isRead && unlessFailing(() => readKnown(this.#file))) || new Map();
  }

  /** Returns the hash of a file, unless that has to be taken. */
  hashOf(path: string, { mark }: FileLook): string | undefined {
    const known = this.#before.get(path);
    if (known === undefined || known.mark !== mark) return undefined;
    this.#kept.set(path, known);
    return known.sha256;
  }

  /**
   * Keeps a hash, if it can be relied upon later.
   * @param look at the file before it was read
   * @param at when that was, in milliseconds since 1970
   */
  keep(path: string, { mark, marked }: FileLook, sha256: string, at: number): void {
    if (mark === undefined || marked + coarsestTimeMs >= at || this.#kept.size >= maxFiles) return;
    this.#kept.set(path, { mark, sha256 });
    this.#isOther = true;
  }

  /** Writes what is known now, where that is something else than before and something can be written. */
  save(): void {
    if (!this.#isOther && this.#kept.size === this.#before.size) return;
    const files = [...this.#kept].map(([path, { mark, sha256 }]) => [path, mark, sha256]);
    unlessFailing(() => {
      makePrivateDirectory(this.#directory);
      writeFileAtomically(this.#file, JSON.stringify({ version, files }), { sync: false });
      removeOld(this.#directory);
    });
  }
}

function readKnown(file: string): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>();
  const handle = openAtOnce(file);
  try {
    const found = fstatSync(handle);
    if (!found.isFile() || !isOursAlone(found)) return known;
    const value = parseJson(readFileSync(handle, 'utf8'));
    if (!isObject(value) || value.version !== version || !Array.isArray(value.files)) return known;
    for (const entry of value.files) {
      const [path, mark, sha256]: readonly unknown[] = Array.isArray(entry) ? entry : [];
      if (typeof path !== 'string' || typeof mark !== 'string' || !isSha256(sha256)) return new Map();
      known.set(path, { mark, sha256 });
    }
    return known;
  } finally {
    closeSync(handle);
  }
}

function isSha256(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{64}$/.test(value);
}

function removeOld(directory: string): void {
  const files = readdirSync(directory).map((name) => {
    const path = join(directory, name);
    return { path, written: statSync(path).mtimeMs };
  });
  const newest = files.toSorted((one, other) => other.written - one.written);
  const isOld = ({ written }: { readonly written: number }) => Date.now() - written > maxAgeMs;
  for (const [place, one] of newest.entries()) if (place >= maxFolders || isOld(one)) rmSync(one.path);
}
