import { writeFileSync } from 'node:fs';
import { type Lock, tryLock } from '../../src/lib/files/lock.ts';

/** Replaces a lock with that of a process in another container, as a process that takes it over does. */
export function stealLock(file: string): void {
  writeFileSync(file, JSON.stringify({ identity: 'stolen', pid: 7, started: 'boot/1', view: 'elsewhere' }));
}

/** Acquires a free lock. */
export function acquiredLock(file: string): Lock {
  const attempt = tryLock(file);
  if (attempt.state !== 'acquired') throw new Error(`not acquired: ${JSON.stringify(attempt)}`);
  return attempt.lock;
}
