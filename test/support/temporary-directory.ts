import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * A directory that goes away with the test.
 * @param purpose a part of its name, by which one that stayed is known
 * @throws Error between tests, before anything is made: there nobody would remove it
 */
export function temporaryDirectory(purpose = 'test'): string {
  const directory = join(tmpdir(), `botctl-${purpose}-${randomUUID()}`);
  // A process that was ended may just have written its last file.
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }));
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}
