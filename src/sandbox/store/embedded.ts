import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { requirePackage } from '../../lib/database/packages.ts';
import { asFailure, Failure } from '../../lib/errors.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { type CommandLine, command, placeholder, remark } from '../../lib/text/remark.ts';
import { openDatabase } from './database.ts';
import { freeSpaceOf } from './disk.ts';
import { engine, engineIn, enginePackage, nameEngine, onServer } from './engine.ts';
import { withOwnData } from './ownership.ts';
import { SessionCount } from './session-count.ts';
import type { OpenedEngine } from './store.ts';
import { templateFile, unpackTemplate } from './template.ts';

/**
 * Opens the database that a data directory holds, in PGlite. The directory, whose lock the caller has, holds `engine`, the
 * name of the engine that made the database; `database`, that engine's files; and `files`, what was uploaded.
 * @param freeSpace returns the bytes that are free on its disk
 * @throws Failure `invalidInput` if another engine made the database, or it can't be opened
 * @throws the file system's error if the directory can't be written
 */
export async function openEmbedded(
  directory: string,
  freeSpace: () => number = () => freeSpaceOf(directory),
): Promise<OpenedEngine> {
  const database = await prepareDatabase(directory);
  const files = join(directory, 'files');
  makePrivateDirectory(files);
  const sessions = new SessionCount(1);
  let keyChanges = 0;
  const onChange = (sql: string): void => {
    if (mayChangeKeys(sql)) keyChanges += 1;
  };
  const db = await openDatabase(database, { freeSpace, sessions, onChange }).catch((error: unknown) => {
    throw damaged(directory, error);
  });
  return { db, files, isShared: false, keyChanges: () => keyChanges, sessions };
}

/**
 * Returns whether a statement that changes rows may change those of API keys: it names their table then, since nothing else that
 * changes takes keys with it (a test holds the schema to that).
 */
function mayChangeKeys(sql: string): boolean {
  return sql.includes('api_keys');
}

/** @throws Failure `invalidInput` if PGlite can't run here */
export function checkEmbedded(): void {
  requirePackage(enginePackage, 'The sandbox');
  checkCurrentDirectory();
}

/** The engine asks for it, wherever its files are, and would say no more than that the database stopped. */
function checkCurrentDirectory(): void {
  try {
    process.cwd();
  } catch (error) {
    throw asFailure(error);
  }
}

/** Returns the directory of a database that this engine can open; a new one is a copy of the template. */
async function prepareDatabase(directory: string): Promise<string> {
  const database = join(directory, 'database');
  const found = engineIn(directory);
  if (found === onServer) {
    throw new Failure('invalidInput', `${directory} is of a sandbox whose data is on a database server.`, {
      hint: remark`Start it with --database as before, or give this one a directory of its own: ${withOwnData}`,
    });
  }
  if (existsSync(database)) {
    checkEngine(directory, found || unknownEngine);
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
  nameEngine(directory, engine);
  await unpackTemplate(database);
  return database;
}

const importing = command('sandbox', 'import', placeholder('<file>'), '--data', placeholder('<directory>'));

function exporting(directory: string): CommandLine {
  return command('sandbox', 'export', placeholder('<file>'), '--data', directory);
}

const unknownEngine = 'an unknown engine';

function checkEngine(directory: string, found: string): void {
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
