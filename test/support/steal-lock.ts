import { writeFileSync } from 'node:fs';
import { type Lock, tryLock } from '../../src/lib/files/lock.ts';

/** Puts the lock of a process of another container in the place of a lock, as one that takes it over does. */
export function stealLock(file: string): void {
  writeFileSync(file, JSON.stringify({ identity: 'stolen', pid: 7, started: 'boot/1', view: 'elsewhere' }));
}

/** Takes a lock that is free. */
export function acquiredLock(file: string): Lock {
  const attempt = tryLock(file);
  if (attempt.state !== 'acquired') throw new Error(`not acquired: ${JSON.stringify(attempt)}`);
  return attempt.lock;
}
