import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux keeps in memory what is written here. */
const memory = '/dev/shm';

/** Bytes: the sandboxes of all processes together take half of it. */
const needed = 6 * 2 ** 30;

/** How the name of a directory of a run begins; its process comes next. */
const prefix = 'botctl-tests-';

/**
 * Has everything temporary of this process, and of those that it starts, in memory, if there is enough of it: making
 * and removing the thousand files of each sandbox on a disk takes a good part of the time of all tests. Does nothing
 * where a place was chosen already.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined) return;
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < needed) return;
    removeAbandoned();
    const directory = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
    process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
    // Somewhere nothing can be run from there, which some tests do.
    const script = join(directory, 'script');
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(script);
    process.env.TMPDIR = directory;
  } catch {
    // A disk does as well.
  }
}

/** What a run left that was killed would stay until the machine is started again. */
function removeAbandoned(): void {
  for (const name of readdirSync(memory)) {
    const pid = Number(name.startsWith(prefix) && name.slice(prefix.length).split('-')[0]);
    if (pid > 0 && !isAlive(pid)) rmSync(join(memory, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
