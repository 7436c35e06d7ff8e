import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../lib/errors.ts';
import { packageRoot } from '../lib/package-root.ts';
import { shellWord } from '../lib/text/quote.ts';

/** The PostgreSQL client package, with the version that botctl was tested with. */
export const serverPackage = 'pg@8.23.1';

/** Returns a `require` function for packages installed beside botctl. */
export function requireOptional(): NodeJS.Require {
  return createRequire(join(packageRoot(), 'package.json'));
}

/**
 * Returns the path of the entry file of an optional package.
 * @throws Error if the package isn't installed
 */
export function entryOf(wanted: string): string {
  return requireOptional().resolve(nameOf(wanted));
}

/** Returns whether an optional package is installed. */
function isInstalled(wanted: string): boolean {
  try {
    entryOf(wanted);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks that an optional package is installed.
 * @throws Failure `invalidInput`, with the command that installs it, if it is missing
 */
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
 * Returns the command that installs an optional package where this botctl finds it, from any directory. It includes the
 * package's own optional dependencies: npm configured to omit optional packages would otherwise install only a part of
 * it.
 * @param root the directory of botctl's package; its path shows whether botctl was installed globally
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
