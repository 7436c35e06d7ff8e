import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { errorCode } from '../../src/lib/errors.ts';

/**
 * A directory that goes away with the test.
 * @param purpose a part of its name, by which one that stayed is known
 * @throws Error between tests, before anything is made: there nobody would remove it
 */
export function temporaryDirectory(purpose = 'test'): string {
  const directory = join(tmpdir(), `botctl-${purpose}-${randomUUID()}`);
  onTestFinished(() => removeAll(directory));
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

/** Removes a directory. A process that is ending may write its last file meanwhile. */
function removeAll(directory: string, times = 10): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' || times === 1) throw error;
    removeAll(directory, times - 1);
  }
}
