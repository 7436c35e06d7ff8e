import { join } from 'node:path';
import { migrate, NewerSchema, schemaState } from '../../database/migrate.ts';
import type { Database } from '../../database/open.ts';
import { requirePackage, serverPackage } from '../../database/packages.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { SandboxProblem } from '../problem.ts';
import { engineIn, nameEngine, onServer } from './engine.ts';
import { hasUploads, openOwnDatabase, ownFailure } from './own-database.ts';
import { damagedProblem, databaseFile, refuseForeign } from './ownership.ts';
import { type DatabaseServer, openServerStore } from './postgresql.ts';
import { schema } from './schema.ts';
import { openServiceRow } from './service-row.ts';
import type { Store, Tables } from './tables.ts';

/** Options of a store. */
export interface StoreOptions {
  /** The database and directory for rows and uploaded files; in the data directory if not given. */
  readonly server?: DatabaseServer | undefined;
}

/**
 * Opens the store of a data directory, which is created if it doesn't exist. No other process can open it until the
 * store is closed. It contains `sandbox.db` and `files`; if rows and files are on a server, `sandbox.db` is empty, and
 * `engine` records that.
 * @throws SandboxProblem if another process serves the directory, or the data is another version's or damaged
 * @throws Failure `invalidInput` if a package is missing; `network` if its server can't be reached
 * @throws the file system's error if the directory can't be written
 */
export async function openStore(directory: string, { server }: StoreOptions = {}): Promise<Store> {
  if (server) requirePackage(serverPackage, 'A sandbox on a database server');
  refuseForeign(directory);
  const isServers = engineIn(directory) === onServer;
  if (isServers && !server) {
    const message = `${directory} belongs to a sandbox with its data on a database server.`;
    throw new SandboxProblem(message, { code: 'dataIsOnServer' });
  }
  const own = await openOwnDatabase(directory);
  try {
    if (!server) return await openOwnStore(directory, own);
    // The directory's own rows would become invisible.
    if ((await schemaState(own, schema)) !== 'none') {
      const message = `${directory} has the data of a sandbox without --database.`;
      throw new SandboxProblem(message, { code: 'directoryOccupied' });
    }
    const store = await openServerStore(server);
    if (!isServers) nameEngine(directory, onServer);
    const close = async (): Promise<void> => {
      await store.close().finally(own.close);
    };
    return { ...store, close };
  } catch (error) {
    await own.close();
    throw ownFailure(directory, error);
  }
}

async function openOwnStore(directory: string, database: Database<Tables>): Promise<Store> {
  const files = join(directory, 'files');
  makePrivateDirectory(files);
  try {
    // All uploads would be removed as orphans.
    if ((await schemaState(database, schema)) === 'none' && hasUploads(files))
      throw damagedProblem(directory, `${databaseFile} is empty`);
    await migrate(database, schema);
  } catch (error) {
    if (!(error instanceof NewerSchema)) throw error;
    const message = `The data in ${directory} was written by a newer botctl (migration ${error.migration}).`;
    throw new SandboxProblem(message, { code: 'dataOfNewerVersion' }, { cause: error });
  }
  const { signingKey } = await openServiceRow(database.db);
  return { ...database, files, isShared: false, signingKey };
}
