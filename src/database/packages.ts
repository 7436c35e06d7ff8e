import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../lib/errors.ts';
import { packageRoot } from '../lib/package-root.ts';
import { shellWord } from '../lib/text/quote.ts';

/** The package that speaks to a server of PostgreSQL, with the version that botctl was tested with. */
export const serverPackage = 'pg@8.23.1';

/** Returns what loads a package that is installed beside botctl. */
export function requireOptional(): NodeJS.Require {
  return createRequire(join(packageRoot(), 'package.json'));
}

/** Returns the path of the file that an optional package is loaded by. @throws Error if the package isn't installed */
export function entryOf(wanted: string): string {
  return requireOptional().resolve(nameOf(wanted));
}

/** True if an optional package is installed. */
function isInstalled(wanted: string): boolean {
  try {
    entryOf(wanted);
    return true;
  } catch {
    return false;
  }
}

/** @throws Failure `invalidInput`, with the command that installs it, if an optional package is missing */
export function requirePackage(wanted: string, who: string): void {
  if (!isInstalled(wanted)) throw missingPackage(wanted, who);
}

/** Returns the failure of a missing optional package, with the command that installs it. */
export function missingPackage(wanted: string, who: string, how = 'is not installed'): Failure {
  return new Failure('invalidInput', `${who} needs the optional package ${nameOf(wanted)}, which ${how}.`, {
    hint: `Install it beside botctl: ${installCommand(wanted)}`,
  });
}

function nameOf(wanted: string): string {
  return wanted.slice(0, wanted.lastIndexOf('@'));
}

/**
 * Returns the command that installs an optional package where this botctl finds it, from any directory. It includes what a
 * package is optional for, since a user who omits optional packages by npm's configuration would get a part of it only.
 * @param root the directory of botctl's package, by which it is seen whether botctl was installed globally
 */
function installCommand(wanted: string, root = packageRoot()): string {
  const above = dirname(root);
  const isPackage = basename(above) === 'node_modules';
  const holder = isPackage ? dirname(above) : root;
  // npm's global packages are in lib/node_modules; on Windows in npm\node_modules.
  const isGlobal = isPackage && ['lib', 'npm'].includes(basename(holder));
  const prefix = isGlobal && basename(holder) === 'lib' ? dirname(holder) : holder;
  const where = `${isGlobal ? '--global ' : ''}--prefix ${shellWord(prefix)}`;
  return `npm install ${where} --include=optional ${wanted}`;
}
