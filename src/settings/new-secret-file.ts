import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../lib/errors.ts';
import { errorCode } from '../lib/files/error-code.ts';
import { replacesFile, unwritable } from '../lib/files/file-failure.ts';
import { placeNewFile, privateFile, synchroniseDirectory } from '../lib/files/private-file.ts';
import type { Secret } from '../secrets/secret.ts';

/** Bytes that are kept free for a secret: a block of most file systems. */
const roomBytes = 4096;

/** Writes the whole of a text to the beginning of a file. */
function writeAll(descriptor: number, text: Buffer): void {
  for (let written = 0; written < text.length; )
    written += writeSync(descriptor, text, written, text.length - written, written);
}

/**
 * A file for a secret that will exist only once. It is opened under another name before the secret is
 * made, so that whatever keeps it from being written shows in time, and takes its place when it is whole.
 */
export class NewSecretFile {
  readonly path: string;
  /** True if a file is there that would be replaced. */
  readonly exists: boolean;
  readonly #temporary: string;
  #descriptor: number | undefined;

  /**
   * @param mark ends the other name; who gives the same one again can `abandon` what a killed process left
   * @throws Failure `usage` where something other than a file is there
   */
  constructor(path: string, mark = randomBytes(6).toString('hex')) {
    this.path = path;
    this.exists = replacesFile(path);
    this.#temporary = `${path}.${mark}`;
  }

  /**
   * Makes the file, with room for a secret in it: a full disk shows now, and not once the secret is there.
   * @throws Failure `invalidInput` where it can't be written
   */
  open(): void {
    try {
      this.#descriptor = openSync(this.#temporary, 'wx', privateFile);
      writeAll(this.#descriptor, Buffer.alloc(roomBytes));
      fsyncSync(this.#descriptor);
    } catch (error) {
      this.abandon();
      throw unwritable(this.path, error);
    }
  }

  /**
   * Writes the secret, followed by a newline, and puts the file in its place.
   * @throws Failure `invalidInput` where a file has been put there meanwhile, which nobody agreed to replace
   */
  keep(secret: Secret): void {
    if (this.#descriptor === undefined) throw new TypeError('keep() before open()');
    const text = Buffer.from(`${secret.reveal()}\n`);
    writeAll(this.#descriptor, text);
    ftruncateSync(this.#descriptor, text.length);
    fsyncSync(this.#descriptor);
    this.#close();
    this.#putInPlace();
    synchroniseDirectory(dirname(this.path));
  }

  /** Leaves nothing behind, unless the secret has been kept. */
  abandon(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  #putInPlace(): void {
    if (this.exists) {
      renameSync(this.#temporary, this.path);
      return;
    }
    try {
      placeNewFile(this.#temporary, this.path);
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? this.#taken(error) : error;
    }
  }

  #taken(cause: unknown): Failure {
    return new Failure('invalidInput', `another program has made ${this.path} meanwhile`, { cause });
  }

  #close(): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
