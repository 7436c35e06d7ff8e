import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { errorCode } from '../../src/lib/errors.ts';

/**
 * Creates a directory that is removed with the test.
 * @param purpose a part of its name, which identifies a directory that was left
 * @throws Error between tests, before it creates anything, because nothing would remove the directory
 */
export function temporaryDirectory(purpose = 'test'): string {
  const directory = join(tmpdir(), `botctl-${purpose}-${randomUUID()}`);
  onTestFinished(() => removeAll(directory));
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

/** Removes a directory, and retries because a process that is ending may still write its last file. */
function removeAll(directory: string, times = 10): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' || times === 1) throw error;
    removeAll(directory, times - 1);
  }
}
