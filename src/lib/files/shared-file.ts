import {
  type BigIntStats,
  closeSync,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  openSync,
  rename,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { replacePrivateFileBy, synchroniseDirectoryMeanwhile, temporaryName } from './private-file.ts';

const [synchronise, move] = [promisify(fsync), promisify(rename)];

/**
 * Replaces a file that is meant for others too, such as one that is committed: it gets the usual mode
 * of a new file, or keeps the one that it has. Readers see the old content or the new one, never a part, and the new one survives a power cut.
 * @throws the file system's error where that is impossible; what was there before is then still there
 */
export function replaceSharedFile(path: string, content: string): void {
  replacePrivateFileBy(path, (temporary) => {
    const handle = openLike(path, temporary);
    try {
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  });
}

/**
 * Replaces a file as `replaceSharedFile` does; other work goes on while the disk is waited for. Nobody else may replace it
 * meanwhile.
 * Returns the file's figures.
 * @throws as `replaceSharedFile`
 */
export async function replaceSharedFileMeanwhile(path: string, content: string): Promise<BigIntStats> {
  const temporary = temporaryName(path);
  let figures: BigIntStats;
  try {
    const handle = openLike(path, temporary);
    try {
      writeFileSync(handle, content);
      await synchronise(handle);
      figures = fstatSync(handle, { bigint: true });
    } finally {
      closeSync(handle);
    }
    await move(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  await synchroniseDirectoryMeanwhile(dirname(path));
  return figures;
}

/** Makes a file with the mode of the one that it is to replace, of which the umask is to take nothing. */
function openLike(path: string, temporary: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  const mode = (found?.mode ?? 0o666) & 0o777;
  const handle = openSync(temporary, 'wx', mode);
  if (found && (fstatSync(handle).mode & 0o777) !== mode) fchmodSync(handle, mode);
  return handle;
}
