import { randomBytes } from 'node:crypto';
import { errorCode, Failure } from '../lib/errors.ts';
import { AtomicFile } from '../lib/files/atomic-write.ts';
import { replacesFile, writeFailure } from '../lib/files/file-failure.ts';
import type { Secret } from '../secrets/secret.ts';

/** Bytes that are kept free for a secret: a block of most file systems. */
const roomBytes = 4096;

/**
 * A file for a secret that will exist only once. It is opened under another name before the secret is
 * made, so that whatever keeps it from being written shows in time, and takes its place when it is whole.
 */
export class NewSecretFile {
  readonly path: string;
  /** True if a file is there that would be replaced. */
  readonly exists: boolean;
  readonly #file: AtomicFile;

  /**
   * @param mark ends the name of the temporary file; the same one again lets `abandon` remove what a killed process left
   * @throws Failure `usage` if something other than a file is there
   */
  constructor(path: string, mark = randomBytes(6).toString('hex')) {
    this.path = path;
    this.exists = replacesFile(path);
    this.#file = new AtomicFile(path, { isNew: !this.exists }, `${path}.${mark}`);
  }

  /**
   * Makes the file, with room for a secret in it: a full disk shows now, and not once the secret is there.
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
   * Writes the secret, followed by a newline, and puts the file in its place.
   * @throws Failure `invalidInput` if another program has made a file there meanwhile, which the user didn't agree to replace
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

  /** Removes the temporary file, unless the secret has been kept. */
  discard(): void {
    this.#file.discard();
  }
}
