import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Transaction } from 'kysely';
import { systemClock } from '../lib/clock.ts';
import { errorCode } from '../lib/errors.ts';
import { syncDirectory } from '../lib/files/atomic-write.ts';
import { inChunks } from '../lib/iterables.ts';
import { keepLocks, locks } from './store/locks.ts';
import type { Store, Tables } from './store/tables.ts';

/** The suffix of files that are still being received. */
export const temporarySuffix = '.part';

/** The parts of a document's `file_url`. */
interface Location {
  readonly team_id: string;
  readonly provider_id: string;
  readonly extension: string;
}

/** The storage path of a document: `<team_id>/<provider file id>.<extension>` (specification, Document). */
export function fileUrl({ team_id, provider_id, extension }: Location): string {
  return `${team_id}/${provider_id}.${extension}`;
}

/**
 * Moves a received file to its document's path durably: it survives a power cut. Its bytes were flushed when it was
 * received. The transaction that writes its row shares the lock `files`.
 */
export async function storeFile(files: string, received: string, document: Location): Promise<void> {
  const path = join(files, fileUrl(document));
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rename(received, path);
  syncDirectory(dirname(path));
  if (made !== undefined) syncDirectory(files);
}

/** Milliseconds: no upload takes longer. */
const longestUpload = 3_600_000;

/** Team directories processed at a time. */
const teamsAtOnce = 200;

/** Files written, moved or removed between two statements that keep the lock alive. */
export const filesAtOnce = 32;

/**
 * Removes partial uploads of a process that has ended. This process receives none yet; recent files may belong to other
 * processes that share the directory.
 */
export async function removePartialUploads(store: Store): Promise<void> {
  for (const name of await readdir(store.files)) {
    const file = join(store.files, name);
    if (isPartialUpload(name) && !(store.isShared && (await isRecent(file)))) await rm(file, { force: true });
  }
}

/**
 * Removes files whose row was not written or was deleted. Other calls continue meanwhile: partial uploads are left
 * alone, and the lock prevents a file from being moved into place whose row isn't visible here yet. If another process
 * holds the lock, the remaining files are left for later.
 * @param signal ends it early
 */
export async function removeOrphans(store: Store, signal?: AbortSignal): Promise<void> {
  const { db, files } = store;
  // Other entries weren't created by the sandbox.
  const found = (await readdir(files)).filter((name) => uuid.test(name));
  // Starts at a random position, so that sweeps which always end early eventually reach all directories.
  const first = Math.floor(systemClock.random() * found.length);
  const teams = [...found.slice(first), ...found.slice(0, first)];
  for (const some of inChunks(teams, teamsAtOnce)) {
    if (signal?.aborted) return;
    const isDone = await db.transaction().execute(async (step) => {
      if (!(await store.tryLock(step, locks.files))) return false;
      const rows = await step
        .selectFrom('documents')
        .select(['team_id', 'provider_id', 'extension'])
        .where('team_id', 'in', some)
        .execute();
      const known = new Set(rows.map(fileUrl));
      for (const team of some) await sweepTeam(store, step, team, (name) => known.has(`${team}/${name}`));
      return true;
    });
    if (!isDone) return;
  }
}

async function isRecent(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < longestUpload;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

function isPartialUpload(name: string): boolean {
  return name.endsWith(temporarySuffix) && uuid.test(name.slice(0, -temporarySuffix.length));
}

async function sweepTeam(
  store: Store,
  step: Transaction<Tables>,
  team: string,
  isKnown: (name: string) => boolean,
): Promise<void> {
  const directory = join(store.files, team);
  const names = await readdir(directory).catch((error: unknown) => {
    // Another sweep removed it first.
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const orphans = names.filter((name) => !isKnown(name));
  for (const some of inChunks(orphans, filesAtOnce)) {
    // If the lock was lost, a file may have got its row in the meantime.
    await keepLocks(store, step);
    for (const name of some) await rm(join(directory, name), { recursive: true, force: true });
  }
  if (orphans.length === names.length) await rm(directory, { recursive: true, force: true });
}
