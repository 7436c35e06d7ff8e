import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { readFailure, writeFailure } from '../../lib/files/file-failure.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { SandboxProblem } from '../problem.ts';
import { readIfExists } from './note.ts';

/** The file of a directory of uploaded files that says which database has their rows. */
const markName = 'database-id';

/**
 * Makes a directory that of the uploaded files of a database, unless it is that already. Several services of one database
 * share it. Returns the directory in it that has the files alone.
 * @param database tells the database from any other
 * @param hasFiles true if the database has rows of files
 * @throws SandboxProblem if it is another database's or holds other things, or lacks the files
 */
export function claimFiles(
  directory: string,
  database: { id: string; name: string; hasFiles: boolean },
): string {
  const mark = join(directory, markName);
  const files = join(directory, 'files');
  // Before the mark is read: others who start may make it in the meantime, and have files then.
  const foreign = foreignIn(directory, files);
  const found = readIfExists(mark)?.trim();
  if (found === database.id) return files;
  if (found !== undefined) {
    // A database that was moved can't be told from one that was copied.
    const { id, name, hasFiles } = database;
    throw new SandboxProblem(`${directory} has the files of a different database, not of ${name}.`, {
      code: 'filesOfOtherDatabase',
      database: hasFiles ? { id, mark } : undefined,
    });
  }
  if (foreign !== undefined) {
    throw new SandboxProblem(`${directory} contains other files, such as ${foreign}.`, {
      code: 'notFilesDirectory',
    });
  }
  if (database.hasFiles) {
    throw new SandboxProblem(`${directory} does not have the files of the documents in ${database.name}.`, {
      code: 'filesMissing',
    });
  }
  try {
    makePrivateDirectory(files);
    writeFileAtomically(mark, `${database.id}\n`, { isNew: true });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return claimFiles(directory, database);
    throw writeFailure(directory, error);
  }
  return files;
}

/** Returns what is in a directory besides what its claim leaves, or undefined; the directory is made if it isn't there. */
function foreignIn(directory: string, files: string): string | undefined {
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    throw writeFailure(directory, error);
  }
  // A start that broke off, or that is about to make the mark, leaves an empty one and these.
  const isMark = (name: string): boolean => name.startsWith(`.${markName}.`);
  try {
    return readdirSync(directory).find((name) =>
      name === 'files' ? readdirSync(files).length > 0 : !isMark(name),
    );
  } catch (error) {
    throw readFailure(directory, error);
  }
}
