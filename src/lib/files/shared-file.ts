import { closeSync, fsyncSync, openSync, statSync, writeFileSync } from 'node:fs';
import { replacePrivateFileBy } from './private-file.ts';

/**
 * Replaces a file that is meant for others too, such as one that is committed: it gets the usual mode
 * of a new file, or keeps the one that it has. Readers see the old content or the new one, never a part, and the new one survives a power cut.
 * @throws the file system's error where that is impossible; what was there before is then still there
 */
export function replaceSharedFile(path: string, content: string): void {
  replacePrivateFileBy(path, (temporary) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0o666;
    const handle = openSync(temporary, 'wx', mode & 0o777);
    try {
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  });
}
