import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './temporary-directory.ts';

/** How the processes that are looked at are treated. */
export interface FileCallsOptions {
  /** What fails with EIO for the file and those beside it, as on a bad disk. Locks never fail. */
  readonly fails?: 'write' | 'sync' | 'replace';
  /** The rename, from 1, in place of which a process kills itself: of the file, or of one beside it. */
  readonly killedAtReplace?: number;
  /** Milliseconds that a process stands still each time after it has read the file. */
  readonly pauseMs?: number;
  /** How many processes wait for each other as they start; none where not given. */
  readonly processes?: number;
}

/** What processes do to a file. */
export interface FileCalls {
  /** What the environment of each process needs. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Everything until now, in order: `write the file`, `sync one beside it`, `replace the file`,
   * `sync its directory`, `write its lock`.
   */
  calls(): readonly string[];
}

const preload = fileURLToPath(new URL('file-calls.cjs', import.meta.url));

/**
 * Prepares to look at what processes do to a file: at the calls themselves, since nothing that is on the disk
 * later tells whether it was waited for.
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
