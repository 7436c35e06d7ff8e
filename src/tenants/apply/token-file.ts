import { Failure, messageOf } from '../../lib/errors.ts';
import { AppendLog } from '../../lib/files/append-log.ts';
import { writeFailure } from '../../lib/files/file-failure.ts';
import type { Secret } from '../../secrets/secret.ts';
import type { Address } from '../desired.ts';

/** The file with the tokens of new devices, one line of JSON for each. The API shows a token once. */
export class TokenFile {
  readonly #path: string;
  readonly #log: AppendLog;
  #isBroken = false;

  /**
   * Opens the file, and makes it readable only for its owner.
   * @throws Failure `invalidInput` if it can't be written
   */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#log = AppendLog.open(path);
    } catch (error) {
      throw writeFailure(path, error);
    }
  }

  /** True once a write has failed: the token of any other device would be lost too. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Appends the token of a device, and returns once it is on the disk.
   * @throws Failure `outputFailed` if it can't be written: the device exists, and its token is lost
   */
  async add(address: Address, id: string, token: Secret): Promise<void> {
    try {
      this.#log.append({ address, device_id: id, token: token.reveal() });
      await this.#log.flush();
    } catch (cause) {
      this.#isBroken = true;
      const message = `Device ${id} was created, but its token could not be written to ${this.#path} and is lost: ${messageOf(cause)}. It can't be shown again.`;
      throw new Failure('outputFailed', message, {
        hint: 'Pairing and sending need no token.',
        cause,
      });
    }
  }

  close(): void {
    this.#log.close();
  }
}
