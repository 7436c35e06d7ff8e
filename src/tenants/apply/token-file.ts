import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { Failure, messageOf } from '../../lib/errors.ts';
import { notRegularFile, unwritable } from '../../lib/files/file-failure.ts';
import { privateFile } from '../../lib/files/private-file.ts';
import type { Secret } from '../../secrets/secret.ts';
import type { Address } from '../desired.ts';

/** The file that the tokens of new devices are added to, a line of JSON for each: the API tells a token once. */
export class TokenFile {
  readonly #path: string;
  readonly #descriptor: number;
  #isBroken = false;

  private constructor(path: string, descriptor: number) {
    this.#path = path;
    this.#descriptor = descriptor;
  }

  /**
   * Opens the file, and makes it one that only its owner may read.
   * @throws Failure `invalidInput` where it can't be written
   */
  static open(path: string): TokenFile {
    let descriptor: number | undefined;
    try {
      // For reading too: a pipe that nobody reads would be waited for otherwise.
      descriptor = openSync(path, 'a+', privateFile);
      const found = fstatSync(descriptor);
      if (!found.isFile()) throw notRegularFile(path, found, 'Name a file.');
      fchmodSync(descriptor, privateFile);
      return new TokenFile(path, descriptor);
    } catch (error) {
      if (descriptor !== undefined) closeSync(descriptor);
      throw error instanceof Failure ? error : unwritable(path, error);
    }
  }

  /** True once it could not be written: the token of any other device would be lost too. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** @throws Failure `outputFailed`: the device is there, and its token is lost */
  add(address: Address, id: string, token: Secret): void {
    const entry = `${JSON.stringify({ address, device_id: id, token: token.reveal() })}\n`;
    try {
      const line = Buffer.from(this.#isAtLineStart() ? entry : `\n${entry}`);
      for (let written = 0; written < line.length; ) written += writeSync(this.#descriptor, line, written);
      fsyncSync(this.#descriptor);
    } catch (cause) {
      this.#isBroken = true;
      const message = `Device ${id} was created, but its token could not be written to ${this.#path} and is lost: ${messageOf(cause)}. It can't be shown again.`;
      throw new Failure('outputFailed', message, {
        hint: 'Pairing and sending need no token.',
        cause,
      });
    }
  }

  /** False after what has no line end: what a full disk has cut off, or somebody wrote by hand. */
  #isAtLineStart(): boolean {
    const { size } = fstatSync(this.#descriptor);
    const last = Buffer.alloc(1);
    return size === 0 || (readSync(this.#descriptor, last, 0, 1, size - 1) === 1 && last.toString() === '\n');
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
