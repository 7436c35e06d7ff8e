import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from '../../lib/package-root.ts';

/**
 * The engine whose files a data directory holds. Another minor version of PGlite, or another PostgreSQL, can't
 * read them and would say no more than "failed to initialize properly".
 */
export const engine = 'PGlite 0.5 (PostgreSQL 18)';

/** Its package, with the version that botctl was tested with. */
export const enginePackage = '@electric-sql/pglite@0.5.16';

/** True if the engine, an optional dependency, is installed. */
export function isEngineInstalled(): boolean {
  try {
    createRequire(join(packageRoot(), 'package.json')).resolve('@electric-sql/pglite');
    return true;
  } catch {
    return false;
  }
}

/**
 * The command that installs the engine where this botctl finds it.
 * @param root the directory of the package, by which it is seen whether botctl was installed for every directory
 */
export function engineInstallCommand(root = packageRoot()): string {
  const above = dirname(root);
  // npm's global packages are in lib/node_modules; on Windows in npm\node_modules.
  const isGlobal = basename(above) === 'node_modules' && ['lib', 'npm'].includes(basename(dirname(above)));
  return `npm install ${isGlobal ? '--global ' : ''}${enginePackage}`;
}
