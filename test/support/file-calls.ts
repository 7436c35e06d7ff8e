import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './temporary-directory.ts';

/** Options of the observed processes. */
export interface FileCallsOptions {
  /** The call that fails with EIO for the file and others in its directory, as on a bad disk. Locks never fail. */
  readonly fails?: 'write' | 'sync' | 'replace';
  /** The rename, counted from 1, at which a process kills itself: of the file, or of one beside it. */
  readonly killedAtReplace?: number;
  /** Milliseconds that a process pauses each time it has read the file. */
  readonly pauseMs?: number;
  /** The number of processes that wait for each other as they start; none by default. */
  readonly processes?: number;
}

/** The file calls of processes. */
export interface FileCalls {
  /** The environment that each process needs. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Returns all calls so far, in order: `write the file`, `sync one beside it`, `replace the file`, `sync its
   * directory`, `write its lock`.
   */
  calls(): readonly string[];
}

const preload = fileURLToPath(new URL('file-calls.cjs', import.meta.url));

/**
 * Prepares to record the file calls of processes. It records the calls themselves because the contents of the disk do
 * not show whether a process waited for a sync.
 * @param file its full path, without symbolic links
 */
export function watchFileCalls(file: string, options: FileCallsOptions = {}): FileCalls {
  const directory = temporaryDirectory('calls');
  const log = join(directory, 'log');
  const { fails, killedAtReplace, pauseMs = 0, processes } = options;
  const meeting = processes === undefined ? undefined : temporaryDirectory('meeting');
  return {
    env: {
      NODE_OPTIONS: `--require ${preload}`,
      BOTCTL_TEST_FILE_CALLS: JSON.stringify({
        ...{ file, log, fails, killedAtReplace },
        ...{ pauseMs, meeting, processes },
      }),
    },
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
  };
}
