import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { readFailure, writeFailure } from '../../lib/files/file-failure.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { SandboxProblem } from '../problem.ts';
import { readIfExists } from './control-file.ts';

/** The file that identifies the database of a directory of uploaded files. */
const markName = 'database-id';

/**
 * Assigns a directory to the uploaded files of a database, unless it already is. Several services with one database
 * share it. Returns the subdirectory that contains only the files.
 * @param database identifies the database
 * @param hasFiles true if the database has rows of files
 * @throws SandboxProblem if it belongs to another database, contains other files, or lacks the database's files
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
    // A moved database can't be distinguished from a copied one.
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

/**
 * Returns an entry of a directory that a claim does not create, or undefined if there is none; creates the directory if
 * it is missing.
 */
function foreignIn(directory: string, files: string): string | undefined {
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    throw writeFailure(directory, error);
  }
  // An interrupted or concurrent start leaves an empty subdirectory and these temporary files.
  const isMark = (name: string): boolean => name.startsWith(`.${markName}.`);
  try {
    return readdirSync(directory).find((name) =>
      name === 'files' ? readdirSync(files).length > 0 : !isMark(name),
    );
  } catch (error) {
    throw readFailure(directory, error);
  }
}
