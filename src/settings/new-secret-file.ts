import { randomBytes } from 'node:crypto';
import { errorCode, Failure } from '../lib/errors.ts';
import { AtomicFile } from '../lib/files/atomic-write.ts';
import { replacesFile, writeFailure } from '../lib/files/file-failure.ts';
import type { Secret } from '../secrets/secret.ts';

/** Bytes reserved for a secret: a block of most file systems. */
const roomBytes = 4096;

/**
 * A file for a secret that will exist only once. It is created under a temporary name before the secret is created, so
 * that write problems show in time, and renamed once it is complete.
 */
export class NewSecretFile {
  readonly path: string;
  /** True if an existing file would be replaced. */
  readonly exists: boolean;
  readonly #file: AtomicFile;

  /**
   * @param mark suffix of the temporary file; reusing it lets `discard` remove the file of a killed process
   * @throws Failure `invalidInput` if the path is not a regular file
   */
  constructor(path: string, mark = randomBytes(6).toString('hex')) {
    this.path = path;
    this.exists = replacesFile(path);
    this.#file = new AtomicFile(path, { isNew: !this.exists }, `${path}.${mark}`);
  }

  /**
   * Creates the file and reserves space for a secret, so that a full disk is detected before the secret exists.
   * @throws Failure `invalidInput` if it can't be written
   */
  open(): void {
    try {
      this.#file.reserve(roomBytes);
    } catch (error) {
      this.discard();
      throw writeFailure(this.path, error);
    }
  }

  /**
   * Writes the secret, followed by a newline, and renames the file to its final path.
   * @throws Failure `invalidInput` if another program has created a file there meanwhile, which the user didn't agree
   * to replace
   */
  commit(secret: Secret): void {
    this.#file.write(`${secret.reveal()}\n`);
    try {
      this.#file.commit();
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      throw new Failure('invalidInput', `another program created ${this.path} in the meantime`, {
        cause: error,
      });
    }
  }

  /** Removes the temporary file, unless the secret has been committed. */
  discard(): void {
    this.#file.discard();
  }
}
