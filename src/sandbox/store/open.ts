import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asFailure, Failure } from '../../lib/errors.ts';
import { type Lock, tryLock } from '../../lib/files/lock.ts';
import { makePrivateDirectory, writePrivateFile } from '../../lib/files/private-file.ts';
import { readRegularText } from '../../lib/files/text-input.ts';
import { type CommandLine, command, placeholder, remark } from '../../lib/text/remark.ts';
import { openDatabase } from './database.ts';
import { freeSpaceOf } from './disk.ts';
import { engine, engineInstallCommand, enginePackage, isEngineInstalled } from './engine.ts';
import { DataInUse, refuseForeign, withOwnData } from './ownership.ts';
import type { Store } from './store.ts';
import { templateFile, unpackTemplate } from './template.ts';

/**
 * Opens the store of a data directory, which is made if it doesn't exist. The directory is this store's
 * alone until it is closed. It holds `lock`; `engine`, the name of the engine that made the database;
 * `database`, that engine's files; and `files`, what was uploaded.
 * @param freeSpace returns the bytes that are free on its disk
 * @throws DataInUse
 * @throws Failure `invalidInput` if the engine is not installed, another one made the database, or it can't be opened
 * @throws the file system's error if the directory can't be written
 */
export async function openStore(
  directory: string,
  freeSpace: () => number = () => freeSpaceOf(directory),
): Promise<Store> {
  if (!isEngineInstalled()) {
    throw new Failure(
      'invalidInput',
      'The sandbox needs the optional package @electric-sql/pglite, which is not installed.',
      {
        hint: `Install it beside botctl: ${engineInstallCommand()}`,
      },
    );
  }
  checkCurrentDirectory();
  refuseForeign(directory);
  makePrivateDirectory(directory);
  const lock = takeLock(directory);
  try {
    const database = await prepareDatabase(directory);
    const files = join(directory, 'files');
    makePrivateDirectory(files);
    const db = await openDatabase(database, freeSpace).catch((error: unknown) => {
      throw damaged(directory, error);
    });
    return {
      db,
      files,
      announce: (port) => lock.describe({ port }),
      async close() {
        try {
          await db.destroy();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The engine asks for it, wherever its files are, and would say no more than that the database stopped. */
function checkCurrentDirectory(): void {
  try {
    process.cwd();
  } catch (error) {
    throw asFailure(error);
  }
}

function takeLock(directory: string): Lock {
  const attempt = tryLock(join(directory, 'lock'));
  if (attempt.state === 'held') throw attempt.obstacle ?? new DataInUse(directory, attempt);
  if (attempt.state === 'unwritable') throw attempt.error;
  return attempt.lock;
}

/** Returns the directory of a database that this engine can open; a new one is a copy of the template. */
async function prepareDatabase(directory: string): Promise<string> {
  const database = join(directory, 'database');
  const engineFile = join(directory, 'engine');
  if (existsSync(database)) {
    checkEngine(directory, engineFile);
    // PGlite would make a new cluster in an empty directory, and all uploads would be swept away as nobody's.
    if (!existsSync(join(database, clusterMark))) throw lost(directory, `${database} is no database`);
    return database;
  }
  if (isFilled(join(directory, 'files'))) throw lost(directory, `${database} is missing`);
  if (!existsSync(templateFile())) {
    throw new Failure('invalidInput', `The sandbox's database template ${templateFile()} is missing.`, {
      hint: `It is made when botctl is built with ${enginePackage} installed: npm run build`,
    });
  }
  // The name of the engine comes first, so that there is never a database of an unknown engine.
  writePrivateFile(engineFile, `${engine}\n`);
  await unpackTemplate(database);
  return database;
}

const importing = command('sandbox', 'import', placeholder('<file>'), '--data', placeholder('<directory>'));

function exporting(directory: string): CommandLine {
  return command('sandbox', 'export', placeholder('<file>'), '--data', directory);
}

const unknownEngine = 'an unknown engine';

function checkEngine(directory: string, engineFile: string): void {
  const found = lstatSync(engineFile, { throwIfNoEntry: false })
    ? readRegularText(engineFile).trim() || unknownEngine
    : unknownEngine;
  if (found === engine) return;
  throw new Failure(
    'invalidInput',
    `The data in ${directory} was made by ${found}; this botctl has ${engine}.`,
    {
      hint: remark`Start it with the botctl that made it, and export it: ${exporting(directory)}. Then import it here, into a sandbox on another directory: ${importing}`,
    },
  );
}

/** A file that every database of PostgreSQL has. */
const clusterMark = 'PG_VERSION';

function isFilled(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).length > 0;
}

function lost(directory: string, what: string): Failure {
  return new Failure('invalidInput', `The data in ${directory} is damaged: ${what}. Nothing was changed.`, {
    hint: remark`Put the directory back from a copy, or start with another one: ${withOwnData}`,
  });
}

function damaged(directory: string, error: unknown): Failure {
  const words = error instanceof Error ? error.message : String(error);
  return new Failure('invalidInput', `The database in ${directory} can't be opened: ${words}`, {
    hint: remark`Start with an empty directory: ${withOwnData}`,
    cause: error,
  });
}
