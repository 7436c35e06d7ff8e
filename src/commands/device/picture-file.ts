import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../errors.ts';
import { writePrivateFile } from '../../files/private-file.ts';
import { errorCode } from '../../settings/files.ts';

/** The file that holds the picture of the current code, which is a secret as long as it lives. */
export class PictureFile {
  readonly path: string;

  /** @throws Failure `usage` where no file can be there */
  constructor(path: string) {
    this.path = path;
    try {
      statSync(dirname(path));
      const there = statSync(path, { throwIfNoEntry: false });
      if (there && !there.isFile())
        throw new Failure('usage', `${path} is no ordinary file.`, { hint: 'Name a new file.' });
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /**
   * Puts a picture in the place of the last one, readable only by this user. A viewer never sees half of it.
   * @throws Failure `usage` where it can't be written
   */
  async write(picture: Buffer): Promise<void> {
    try {
      await writePrivateFile(this.path, picture);
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  /** Removes the picture: nobody keeps it current any more. */
  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function unwritable(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof Failure) return error;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'its directory does not exist',
    ENOTDIR: 'a part of the path is not a directory',
    EACCES: 'you may not write there',
    EROFS: 'the disk is read-only',
  };
  return new Failure('usage', `Can't write ${path}: ${reasons[code] ?? code}.`, { cause: error });
}
