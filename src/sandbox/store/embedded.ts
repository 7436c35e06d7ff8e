import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NewerSchema } from '../../database/migrations.ts';
import { asFailure, Failure, messageOf } from '../../lib/errors.ts';
import type { Lock } from '../../lib/files/lock.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { remark } from '../../lib/text/remark.ts';
import { openDatabase } from './database.ts';
import { freeSpaceOf } from './disk.ts';
import { engine, engineIn, nameEngine, onServer } from './engine.ts';
import { checkEnginePackage, enginePackage, installAgain } from './engine-package.ts';
import { postgresDatabase } from './migrations.ts';
import { withOwnData } from './ownership.ts';
import { SessionCount } from './session-count.ts';
import type { OpenedEngine } from './store.ts';
import { templateFile, unpackTemplate } from './template.ts';

/**
 * Opens the database that a data directory holds, in PGlite. The directory holds `engine`, the
 * name of the engine that made the database; `database`, that engine's files; and `files`, what was uploaded.
 * @param lock that of the directory; once it is lost nothing more is written
 * @param freeSpace returns the bytes that are free on its disk
 * @throws Failure `invalidInput` if another engine made the database, or it can't be opened
 * @throws the file system's error if the directory can't be written
 */
export async function openEmbedded(
  directory: string,
  lock: Pick<Lock, 'check' | 'lost'>,
  freeSpace: () => number = () => freeSpaceOf(directory),
): Promise<OpenedEngine> {
  const { database, isNew } = await prepareDatabase(directory);
  const files = join(directory, 'files');
  makePrivateDirectory(files);
  const sessions = new SessionCount(1);
  let keyChanges = 0;
  const isOurs = (): boolean => !lock.lost.aborted;
  const onChange = (sql: string): void => {
    lock.check();
    if (mayChangeKeys(sql)) keyChanges += 1;
  };
  const db = await openDatabase(database, { freeSpace, sessions, onChange, isOurs }).catch(
    (error: unknown) => {
      if (!isNew) throw unopened(directory, error);
      // The next start would take it for the user's.
      rmSync(database, { recursive: true, force: true });
      throw unopenedCopy(error);
    },
  );
  return {
    ...postgresDatabase(db),
    files,
    isShared: false,
    keyChanges: () => keyChanges,
    sessions,
  };
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
  checkEnginePackage();
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

/** Returns the directory of a database that this engine can open, and whether it is new, a copy of the template. */
async function prepareDatabase(
  directory: string,
): Promise<{ readonly database: string; readonly isNew: boolean }> {
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
    return { database, isNew: false };
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
  return { database, isNew: true };
}

const unknownEngine = 'an unknown engine';

function checkEngine(directory: string, found: string): void {
  if (found === engine) return;
  throw new Failure(
    'invalidInput',
    `The data in ${directory} was made by ${found}; this botctl has ${engine}.`,
    {
      hint: remark`Start it with the botctl that made it, or start a new one: ${withOwnData}`,
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
    hint: putBack,
  });
}

const putBack = remark`Put the directory back from a copy, or start with another one: ${withOwnData}`;

/** Returns what to throw for the error of opening a database that was there. */
function unopened(directory: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof NewerSchema) {
    const hint = remark`Use that botctl, or start with another directory: ${withOwnData}`;
    return error.asFailure(`The data in ${directory}`, hint);
  }
  return new Failure('invalidInput', `The database in ${directory} can't be opened: ${messageOf(error)}`, {
    hint: putBack,
    cause: error,
  });
}

/** The same for a new one, which is as it was when botctl was built: it is the machine that can't open it, or PGlite. */
function unopenedCopy(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('invalidInput', `The sandbox can't start here: ${messageOf(error)}`, {
    hint: `It needs memory, and room on the disk. Where both are there, PGlite may be damaged. ${installAgain()}`,
    cause: error,
  });
}
