import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { needing } from './needing.ts';

/** A small file system. */
export interface SmallDisk {
  readonly path: string;
  fill(): void;
  /** Removes the file that fills it. */
  free(): void;
  lock(): void;
}

/** Mounts a file system in memory, which is unmounted with the test. */
export function mountSmallDisk(mebibytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'botctl-small-disk-'));
  if (!mount(path, mebibytes)) throw new Error('no file system can be mounted here');
  onTestFinished(() => {
    unmount(path);
    rmSync(path, { recursive: true, force: true });
  });
  const filler = join(path, 'filler');
  return {
    path,
    fill() {
      for (const size of [1024 * 1024, 4096]) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // The disk is full to within that size.
        }
      }
    },
    free: () => rmSync(filler),
    lock: () => void spawnSync('mount', ['-o', 'remount,ro', path]),
  };
}

/** Marks tests that mount a file system, which needs root on Linux. */
export const needsSmallDisk = needing('the right to mount a file system (root on Linux)', canMount());

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const path = mkdtempSync(join(tmpdir(), 'botctl-small-disk-'));
  const isMounted = mount(path, 1);
  if (isMounted) unmount(path);
  rmSync(path, { recursive: true, force: true });
  return isMounted;
}

function mount(path: string, mebibytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path]).status === 0;
}

function unmount(path: string): void {
  // libsql keeps files open until its connections are garbage-collected.
  spawnSync('umount', ['--lazy', path]);
}
