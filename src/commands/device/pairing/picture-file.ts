import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Confirmation } from '../../../command.ts';
import { Failure } from '../../../errors.ts';
import { unwritable } from '../../../files/file-failure.ts';
import { replacePrivateFile } from '../../../files/private-file.ts';

/** The file that holds the picture of the current code, which is a secret as long as it lives. */
export class PictureFile {
  readonly path: string;
  /** Whether a file is there that would be replaced. */
  readonly exists: boolean;
  /** The file that this process wrote: only that one is ever removed. */
  #written: number | undefined;
  readonly #removeAtExit = (): void => this.remove();

  /** @throws Failure `usage` where no file can be there */
  constructor(path: string) {
    this.path = path;
    try {
      statSync(dirname(path));
      const there = statSync(path, { throwIfNoEntry: false });
      if (there && !there.isFile())
        throw new Failure('usage', `${path} is no ordinary file.`, { hint: 'Name a new file.' });
      this.exists = there !== undefined;
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /**
   * Puts a picture in the place of the last one, readable only by this user. A viewer never sees half of it.
   * @throws Failure `usage` where it can't be written
   */
  write(picture: Buffer): void {
    try {
      replacePrivateFile(this.path, picture);
      this.#written = statSync(this.path).ino;
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  /** Sees to it that the picture goes with the process, however that ends. */
  guard(): void {
    process.once('exit', this.#removeAtExit);
  }

  /** Removes the picture for good: nobody keeps it current any more. */
  remove(): void {
    process.removeListener('exit', this.#removeAtExit);
    this.clear();
  }

  /** Removes the picture, if this process wrote it, until there is another one. */
  clear(): void {
    const there = statSync(this.path, { throwIfNoEntry: false });
    if (this.#written !== undefined && there?.ino === this.#written) rmSync(this.path, { force: true });
  }

  /** What to ask before another file is replaced; undefined where there is none. */
  confirmation(): Confirmation | undefined {
    if (!this.exists) return undefined;
    return { level: 'yes', question: `${this.path} exists. Replace it with the picture of the code?` };
  }
}
