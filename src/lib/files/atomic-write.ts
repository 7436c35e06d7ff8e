import { randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../errors.ts';
import { privateFile } from './private-file.ts';

/** Options of an atomic write. */
export interface AtomicWriteOptions {
  /**
   * True for a file that others may read too, such as one that is committed: it gets the usual mode of a new file, or keeps the
   * mode that it has. Otherwise only its owner may read it.
   */
  readonly isShared?: boolean;
  /** True for a file that must not replace another: fails with `EEXIST` if there is one. */
  readonly isNew?: boolean;
  /** False for a file that can be made again: it need not survive a power cut, so the disk isn't waited for. */
  readonly sync?: boolean;
  /**
   * Is called when the content is on the disk, just before the file is placed; if it throws, the old content stays. For the check
   * of a lock: while this process waits for the disk, another one may take the lock over.
   */
  readonly check?: () => void;
}

/**
 * Writes a file. Readers see the old content or the new one, never a part, and the new one survives a power cut.
 * A symbolic link is replaced; resolve it first to keep it. Returns the figures of the file as it was written.
 * @throws the file system's error if that is impossible, and the error of `check`; the old content is then still there
 */
export function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): BigIntStats {
  const file = new AtomicFile(path, options);
  try {
    const figures = file.write(content);
    file.commit();
    return figures;
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** An atomic write in steps, for several files that are placed together and for content that doesn't exist yet. */
export class AtomicFile {
  readonly #path: string;
  readonly #options: AtomicWriteOptions;
  readonly #temporary: string;
  #descriptor: number | undefined;

  /** @param temporary the path of the temporary file, in the same directory */
  constructor(path: string, options: AtomicWriteOptions = {}, temporary = temporaryName(path)) {
    this.#path = path;
    this.#options = options;
    this.#temporary = temporary;
  }

  /** Makes the temporary file with room for so many bytes, so that a full disk shows before the content exists. */
  reserve(bytes: number): void {
    const descriptor = this.#open();
    writeAll(descriptor, Buffer.alloc(bytes));
    fsyncSync(descriptor);
  }

  /** Writes the whole content to the temporary file. Returns the figures of the file. */
  write(content: string | Uint8Array): BigIntStats {
    const descriptor = this.#descriptor ?? this.#open();
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    writeAll(descriptor, bytes);
    ftruncateSync(descriptor, bytes.length);
    if (this.#options.sync !== false) fsyncSync(descriptor);
    const figures = fstatSync(descriptor, { bigint: true });
    this.#close();
    return figures;
  }

  /** Gives the temporary file the path that it is meant for. */
  commit(): void {
    this.#options.check?.();
    if (this.#options.isNew) renameExclusively(this.#temporary, this.#path);
    else renameSync(this.#temporary, this.#path);
    if (this.#options.sync !== false) syncDirectory(dirname(this.#path));
  }

  /** Removes the temporary file, if there is one. */
  discard(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  #open(): number {
    const { isShared } = this.#options;
    const replaced = isShared ? statSync(this.#path, { throwIfNoEntry: false }) : undefined;
    const mode = isShared ? (replaced?.mode ?? 0o666) & 0o777 : privateFile;
    const descriptor = openSync(this.#temporary, 'wx', mode);
    this.#descriptor = descriptor;
    // The umask takes nothing of a mode that is to be exactly this one.
    const isExact = !isShared || replaced !== undefined;
    if (isExact && (fstatSync(descriptor).mode & 0o777) !== mode) fchmodSync(descriptor, mode);
    return descriptor;
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Returns a name beside a path for a temporary file or folder. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
}

/** Error codes of file systems that can't synchronise a directory, such as those of some network drives. */
const unsyncableCodes: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EPERM']);

/** Waits until the names in a directory are on the disk. Windows can't open a directory, and doesn't need this. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!unsyncableCodes.has(errorCode(error) ?? '')) throw error;
  } finally {
    closeSync(handle);
  }
}

/** Gives a file another path. Unlike a rename this replaces nothing: of several processes one places its file there. */
function renameExclusively(temporary: string, path: string): void {
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
  rmSync(temporary, { force: true });
}

/** Writes bytes to the beginning of a file: the system may take only a part of them at a time. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written, written);
}
