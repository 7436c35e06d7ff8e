import { lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../lib/errors.ts';
import { writePrivateFile } from '../../lib/files/private-file.ts';
import { readRegularText } from '../../lib/files/text-input.ts';
import { packageRoot } from '../../lib/package-root.ts';

/**
 * The engine whose files a data directory holds. Another minor version of PGlite, or another PostgreSQL, can't
 * read them and would say no more than "failed to initialize properly".
 */
export const engine = 'PGlite 0.5 (PostgreSQL 18)';

/** Its package, with the version that botctl was tested with. */
export const enginePackage = '@electric-sql/pglite@0.5.16';

/** The package that speaks to a server of PostgreSQL, with the version that botctl was tested with. */
export const serverPackage = 'pg@8.23.1';

/** What the data directory of a sandbox says whose rows are on a server. */
export const onServer = 'PostgreSQL (server)';

/** Returns what a data directory says has its rows, or undefined if it says nothing. */
export function engineIn(directory: string): string | undefined {
  const file = join(directory, 'engine');
  return lstatSync(file, { throwIfNoEntry: false }) ? readRegularText(file).trim() : undefined;
}

/** Says in a data directory what has its rows. */
export function nameEngine(directory: string, name: string): void {
  writePrivateFile(join(directory, 'engine'), `${name}\n`);
}

/** Returns what loads a package that is installed beside botctl. */
export function requireBeside(): NodeJS.Require {
  return createRequire(join(packageRoot(), 'package.json'));
}

/** True if an optional package is installed; the engine's if none is given. */
export function isEngineInstalled(wanted = enginePackage): boolean {
  try {
    requireBeside().resolve(nameOf(wanted));
    return true;
  } catch {
    return false;
  }
}

/** @throws Failure `invalidInput`, with the command that installs it, if an optional package is missing */
export function requirePackage(wanted: string, who: string): void {
  if (isEngineInstalled(wanted)) return;
  throw new Failure(
    'invalidInput',
    `${who} needs the optional package ${nameOf(wanted)}, which is not installed.`,
    { hint: `Install it beside botctl: ${engineInstallCommand(undefined, wanted)}` },
  );
}

function nameOf(wanted: string): string {
  return wanted.slice(0, wanted.lastIndexOf('@'));
}

/**
 * The command that installs an optional package, the engine's if none is given, where this botctl finds it.
 * @param root the directory of the package, by which it is seen whether botctl was installed for every directory
 */
export function engineInstallCommand(root = packageRoot(), wanted = enginePackage): string {
  const above = dirname(root);
  // npm's global packages are in lib/node_modules; on Windows in npm\node_modules.
  const isGlobal = basename(above) === 'node_modules' && ['lib', 'npm'].includes(basename(dirname(above)));
  return `npm install ${isGlobal ? '--global ' : ''}${wanted}`;
}
