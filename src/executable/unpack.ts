import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeCodeDirectory, removeUnused } from '../lib/files/code-directory.ts';
import { privateFile } from '../lib/files/private-file.ts';

/** The name of the list of files, which is itself a file inside the executable. */
export const fileList = 'files.txt';

/** The files inside an executable. */
export interface PackedFiles {
  /** A hash of all of them. */
  readonly id: string;
  /** Size in bytes of each file, by path. */
  readonly sizes: ReadonlyMap<string, number>;
  read(path: string): Uint8Array;
}

/**
 * Parses the list of files that `formatFileList` returns.
 * @throws Error if it is damaged
 */
export function parseFileList(text: string): Pick<PackedFiles, 'id' | 'sizes'> {
  const [id = '', ...lines] = text.split('\n');
  const sizes = lines.map((line): [string, number] => {
    const [, size = '', path = ''] = /^(\d+) (.+)$/.exec(line) ?? [];
    if (path === '') throw new Error(`not a file and its size: ${line}`);
    return [path, Number(size)];
  });
  return { id, sizes: new Map(sizes) };
}

/** Formats the list of files: the id, then the size and path of each file on a line. */
export function formatFileList({ id, sizes }: Pick<PackedFiles, 'id' | 'sizes'>): string {
  return [id, ...[...sizes].map(([path, size]) => `${size} ${path}`)].join('\n');
}

/**
 * Returns the directory with the files of this executable, so that Node can load them, start workers from them and
 * store their compiled code. They are unpacked once, below the user's cache. The code in that directory is run: if
 * another user could have written it, or it can't be written, the files go to a new private directory, which is removed
 * when the process exits.
 */
export function unpack(files: PackedFiles, cache: string, now: Date): string {
  const programs = join(cache, 'programs');
  try {
    if (makeCodeDirectory(programs)) return unpackOnce(files, programs, now);
  } catch {
    // The directory can't be written, or another process is removing it: use a new one.
  }
  const directory = mkdtempSync(join(tmpdir(), 'botctl-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  writeAll(files, directory);
  return directory;
}

function unpackOnce(files: PackedFiles, programs: string, now: Date): string {
  const directory = join(programs, files.id);
  if (isWhole(files, directory)) {
    markUsed(directory, now);
    return directory;
  }
  const temporary = mkdtempSync(`${directory}.`);
  try {
    writeAll(files, temporary);
    if (existsSync(directory) && !isWhole(files, directory))
      rmSync(directory, { recursive: true, force: true });
    renameSync(temporary, directory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another process may have been faster.
    if (!isWhole(files, directory)) throw error;
  }
  try {
    removeUnused(programs, now.getTime());
  } catch {
    // Another process removes them too; the files of this version are complete.
  }
  return directory;
}

/** Marks files as used, so that other versions do not remove them. A process loads files as long as it runs. */
export function markUsed(directory: string, now: Date): void {
  try {
    utimesSync(directory, now, now);
  } catch {
    // The disk is read-only, so nothing is removed from it either.
  }
}

/** Returns true if every file has its size. A power failure can leave empty files. */
function isWhole({ sizes }: PackedFiles, directory: string): boolean {
  return [...sizes].every(
    ([path, size]) => statSync(join(directory, path), { throwIfNoEntry: false })?.size === size,
  );
}

function writeAll(files: PackedFiles, directory: string): void {
  for (const path of files.sizes.keys()) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Flushed before the directory is renamed: after a power failure a file may have its size but no content.
    writeFileSync(file, files.read(path), { mode: privateFile, flush: true });
  }
}
