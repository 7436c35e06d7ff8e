import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What changes every translated module, of which Vitest looks at a part only. */
const settings = ['tsconfig.json', 'test/vitest.config.mts', 'test/support/translated-modules.mts'];

/**
 * Returns the options by which Vitest keeps the modules that it translated for the next run, as long as they don't change.
 * What was translated with other settings goes.
 * @param root the directory of the package
 */
export function keepTranslated(root: string): { fsModuleCache: true; fsModuleCachePath: string } {
  const hash = createHash('sha256');
  for (const file of settings) hash.update(readFileSync(join(root, file))).update('\0');
  const name = hash.digest('hex').slice(0, 16);
  const all = join(root, 'node_modules', '.cache', 'botctl-tests');
  mkdirSync(all, { recursive: true });
  for (const other of readdirSync(all)) {
    if (other !== name) rmSync(join(all, other), { recursive: true, force: true });
  }
  return { fsModuleCache: true, fsModuleCachePath: join(all, name) };
}
