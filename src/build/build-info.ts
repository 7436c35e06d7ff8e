import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { packageRoot } from '../lib/package-root.ts';

/** Writes the commit and its time to a file of the program, for `--version` and `doctor` (src/lib/build-info.ts). */
export const buildInfo: Plugin = {
  name: 'build-info',
  writeBundle({ dir = '.' }) {
    // Without tags, git describes a commit by its hash, with "-dirty" if files differ from it.
    const commit = git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*');
    const info =
      commit === undefined ? { commit: 'unknown' } : { commit, date: git('log', '-1', '--format=%cI') };
    writeFileSync(join(dir, 'build.json'), `${JSON.stringify(info)}\n`);
  },
};

/** Returns the output of git, or undefined if this is no checkout or git is missing. */
function git(...args: readonly string[]): string | undefined {
  try {
    const output = execFileSync('git', args, {
      cwd: packageRoot(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.trim();
  } catch {
    return undefined;
  }
}
