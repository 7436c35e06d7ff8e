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
   * True for a file that others may read too, such as one under version control: it gets the default mode of a new
   * file, or keeps its mode. Otherwise only its owner may read it.
   */
  readonly isShared?: boolean;
  /** True for a file that must not replace another: fails with `EEXIST` if one exists. */
  readonly isNew?: boolean;
  /** False for a file that can be recreated: it need not survive a power cut, so it isn't flushed to the disk. */
  readonly sync?: boolean;
  /**
   * Called when the content is on the disk, just before the file is renamed; if it throws, the old content stays. Used
   * to check a lock, which another process may take over while this one waits for the disk.
   */
  readonly check?: () => void;
}

/**
 * Writes a file atomically. Readers see the old content or the new one, never a part, and the new one survives a power
 * cut. A symbolic link is replaced; resolve it first to keep it. Returns the stats of the written file.
 * @throws the file system's error, and the error of `check`; the old content is then unchanged
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

/** An atomic write in steps, for several files that are committed together and for content that doesn't exist yet. */
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

  /** Creates the temporary file and reserves space, so that a full disk is detected before the content exists. */
  reserve(bytes: number): void {
    const descriptor = this.#open();
    writeAll(descriptor, Buffer.alloc(bytes));
    fsyncSync(descriptor);
  }

  /** Writes the whole content to the temporary file. Returns the stats of the file. */
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

  /** Renames the temporary file to its final path. */
  commit(): void {
    this.#options.check?.();
    if (this.#options.isNew) renameExclusively(this.#temporary, this.#path);
    else renameSync(this.#temporary, this.#path);
    if (this.#options.sync !== false) syncDirectory(dirname(this.#path));
  }

  /** Removes the temporary file, if it exists. */
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
    // Corrects the mode if the umask has changed it.
    const isExact = !isShared || replaced !== undefined;
    if (isExact && (fstatSync(descriptor).mode & 0o777) !== mode) fchmodSync(descriptor, mode);
    return descriptor;
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Returns a name for a temporary file or directory beside a path. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
}

/** Error codes of file systems that can't flush a directory, such as some network drives. */
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

/** Renames a file without replacing another: if several processes do it concurrently, only one succeeds. */
function renameExclusively(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // The file system doesn't support hard links.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
    const copy = openSync(path, 'r+');
    fsyncSync(copy);
    closeSync(copy);
  }
  rmSync(temporary, { force: true });
}

/** Writes bytes to the beginning of a file: the system may write only a part of them at a time. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written, written);
}
