import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { entryOf, installCommand, requirePackage } from '../../database/packages.ts';
import { Failure, messageOf } from '../../lib/errors.ts';
import { whyNotRead } from '../../lib/files/file-failure.ts';

/** PGlite, with the version that botctl was tested with. */
export const enginePackage = '@electric-sql/pglite@0.5.16';

/** The file of PGlite with PostgreSQL, compiled to WebAssembly. */
const wasmFile = 'pglite.wasm';

/** The files that a database is opened with, beside PGlite's code. */
const opening = [wasmFile, 'pglite.data', 'pg_trgm.tar.gz'];

/** @throws Failure `invalidInput`, with what mends it, if PGlite isn't installed, or not whole */
export function checkEnginePackage(): void {
  requirePackage(enginePackage, 'The sandbox');
  const failure = missingFileFailure();
  if (failure) throw failure;
}

/** Returns the failure for the first file that PGlite, which is installed, lacks, or undefined if it has all. */
export function missingFileFailure(): Failure | undefined {
  const directory = engineDirectory();
  for (const file of opening.map((name) => join(directory, name))) {
    try {
      accessSync(file, constants.R_OK);
    } catch (error) {
      return unusable(file, error);
    }
  }
  return undefined;
}

/** Returns the path of `pglite.wasm`. @throws Error if the package isn't installed */
export function wasmPath(): string {
  return join(engineDirectory(), wasmFile);
}

/** Returns the failure for a file of PGlite that is missing or damaged. @param file its path */
export function unusable(file: string, error: unknown): Failure {
  const why = whyNotRead(error) ?? messageOf(error);
  return new Failure('invalidInput', `PGlite's file ${file} can't be used: ${why}.`, {
    hint: installAgain(),
    cause: error,
  });
}

/** The advice for a PGlite that doesn't work: npm takes a package for whole whose directory is there. */
export function installAgain(): string {
  return `Remove ${dirname(engineDirectory())}, and install it again: ${installCommand(enginePackage)}`;
}

function engineDirectory(): string {
  return dirname(entryOf(enginePackage));
}
