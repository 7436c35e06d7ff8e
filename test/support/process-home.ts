import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { errorCode } from '../../src/lib/files/error-code.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const compiledCode = join('cache', 'compiled-code');

/**
 * A home for processes of the built botctl, which goes away with the test. They find the compiled code there that
 * others left before them, as on the machine of a user: without it a start takes half as long again. What they add is
 * kept for the next ones.
 */
export function processHome(): string {
  const home = temporaryDirectory('process');
  const mine = join(home, compiledCode);
  const shared = join(inject('sharedHome'), compiledCode);
  for (const directory of [mine, shared]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  linkAll(shared, mine);
  // After the processes have been ended, and before the home is removed: the last that was asked for comes first.
  onTestFinished(() => linkAll(mine, shared));
  return home;
}

/** Files of compiled code never change: another one takes the place of a file, under the same name. */
function linkAll(from: string, to: string): void {
  const there = new Set(readdirSync(to));
  for (const name of readdirSync(from)) {
    // One that is being written has another name, and goes away.
    if (there.has(name) || name.startsWith('.')) continue;
    try {
      linkSync(join(from, name), join(to, name));
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    }
  }
}
