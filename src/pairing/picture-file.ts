import { rmSync, statSync } from 'node:fs';
import type { Confirmation } from '../cli/command.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { replacesFile, unwritable } from '../lib/files/file-failure.ts';

/** The file that holds the picture of the current code, which is a secret while the code lives. */
export class PictureFile {
  readonly path: string;
  /** True if a file is there that would be replaced. */
  readonly exists: boolean;
  /** The inode of the file that this process wrote: only that file is ever removed. */
  #writtenInode: number | undefined;
  readonly #onExit = (): void => this.remove();

  /** @throws Failure `usage` if no file can be there */
  constructor(path: string) {
    this.path = path;
    this.exists = replacesFile(path);
  }

  /**
   * Replaces the last picture by this one, readable only by this user. A viewer never sees half of it.
   * @throws Failure `usage` if it can't be written
   */
  write(picture: Buffer): void {
    try {
      writeFileAtomically(this.path, picture);
      this.#writtenInode = statSync(this.path).ino;
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  /** Makes sure that the picture goes with the process, however that ends. */
  removeAtExit(): void {
    process.once('exit', this.#onExit);
  }

  /** Removes the picture for good: it isn't kept current any more. */
  remove(): void {
    process.removeListener('exit', this.#onExit);
    this.clear();
  }

  /** Removes the picture, if this process wrote it, until there is another one. */
  clear(): void {
    const there = statSync(this.path, { throwIfNoEntry: false });
    if (this.#writtenInode !== undefined && there?.ino === this.#writtenInode)
      rmSync(this.path, { force: true });
  }

  /** Returns what to ask before another file is replaced, or undefined if there is none. */
  confirmation(): Confirmation | undefined {
    if (!this.exists) return undefined;
    return {
      level: 'yes',
      statement: `${this.path} exists.`,
      question: 'Replace it with the picture of the code?',
    };
  }
}
