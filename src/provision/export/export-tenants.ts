import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../lib/errors.ts';
import { replacesFile, unwritable } from '../../lib/files/file-failure.ts';
import type { Io } from '../../lib/io.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { DesiredTenant } from '../desired.ts';
import { readTenants } from '../files/read-tenants.ts';
import { schemaText } from '../files/schema.ts';
import { type Lock, lockName, readLock, updateLock } from '../lock.ts';
import { type ExportedTenant, exportedTenant, redactedContents } from './exported-tenant.ts';
import { Keys } from './keys.ts';
import { readTeams } from './read-teams.ts';
import { type FileToWrite, fileNameOf, filesOf, schemaName, secretsFolder } from './tenant-files.ts';
import { filesInTheWay, isFree, writeFiles } from './write-files.ts';

type ExportContext = Pick<ResourceContext, 'api' | 'signal' | 'askWhich' | 'settings' | 'redact'> & {
  readonly io: Pick<Io, 'env' | 'signal'>;
};

/** What is exported, and where to. */
export interface ExportInput {
  /** Names and ids; undefined for every team. */
  readonly teams: readonly string[] | undefined;
  readonly folder: string;
  /** Path of the lock; beside the files where none is named. */
  readonly lock: string | undefined;
}

/** What was read, and is to be written. */
export interface PreparedExport {
  readonly folder: string;
  readonly lock: string;
  readonly tenants: readonly ExportedTenant[];
  readonly files: readonly FileToWrite[];
  /** Paths of files that are there and would hold something else. */
  readonly replaced: readonly string[];
  /** Ids of teams without a name, which no file can declare. */
  readonly unnamed: readonly string[];
}

/**
 * Reads teams, and makes the files that declare them. Nothing is written.
 * @throws Failure `invalidInput` for a folder that holds something else or can't be written, and as `readLock` and `readTeams`
 */
export async function prepareExport(context: ExportContext, input: ExportInput): Promise<PreparedExport> {
  const { folder } = input;
  const path = input.lock ?? join(folder, lockName);
  const lock = readLock(path, context.api.baseUrl);
  checkPlaces(input, path);
  const read = await readTeams(context, input.teams);
  // Before files are read: the secrets in those are not for this line to mask.
  const contents = read.map((content) => redactedContents(content, context.redact));
  const declared = await declaredIn(context.io, folder);
  const keys = keysFor(lock, declared);
  const exported = contents.map((content) => {
    const key = keys(content.team.id, String(content.team.name ?? ''));
    checkDeclared(declared, key, folder);
    return { id: content.team.id, tenant: exportedTenant(key, content, lock) };
  });
  const tenants = exported.flatMap(({ tenant }) => tenant ?? []);
  const own = tenants.flatMap((tenant) => filesOf(tenant));
  return {
    ...{ folder, lock: path, tenants },
    files: [...own, ...besides(own)],
    replaced: filesInTheWay(folder, own).map((name) => join(folder, name)),
    unnamed: exported.flatMap(({ id, tenant }) => (tenant ? [] : [id])),
  };
}

/**
 * Writes what was prepared: the files, then the lock.
 * @throws Failure as `writeFiles` and `updateLock`
 */
export async function writeExport(
  { api, signal }: Pick<ExportContext, 'api' | 'signal'>,
  { folder, lock: path, tenants, files }: PreparedExport,
): Promise<void> {
  if (tenants.length === 0) return;
  writeFiles(folder, files);
  await updateLock(path, api.baseUrl, signal, (lock) => withTenants(lock, tenants));
}

/** What lies in the folder may be anything, unless there is a lock of it. */
function checkPlaces({ folder, lock }: ExportInput, path: string): void {
  if (lock !== undefined) replacesFile(lock);
  try {
    statSync(`${dirname(folder)}/`);
  } catch (error) {
    throw unwritable(folder, error);
  }
  if (isFree(folder) || existsSync(path)) return;
  throw new Failure('invalidInput', `${folder} holds files already, and there is no lock ${path} of them.`, {
    hint: 'Name a new folder with --out, or with --lock the lock of what is in it. Nothing was written.',
  });
}

/** Returns the tenants that a folder declares, as far as nothing is wrong with them. */
async function declaredIn(io: ExportContext['io'], folder: string): Promise<readonly DesiredTenant[]> {
  if (isFree(folder)) return [];
  try {
    return (await readTenants(io, { paths: [folder] })).desired.tenants;
  } catch (thrown) {
    // Its lock alone may be in it.
    if (thrown instanceof Failure && thrown.isWrongInput) return [];
    throw thrown;
  }
}

/** Returns what gives a team its key: the one of the lock, or a new one that is made of its name. */
function keysFor(lock: Lock, declared: readonly DesiredTenant[]): (id: string, name: string) => string {
  const known = new Map<string, string>();
  for (const [address, { id }] of lock.entries)
    if (id !== undefined && !address.includes('/')) known.set(id.toLowerCase(), address);
  const locked = [...lock.entries.keys()].map((address) => address.split('/')[0] ?? '');
  const keys = new Keys([secretsFolder, ...locked, ...declared.map(({ key }) => key)]);
  return (id, name) => known.get(id.toLowerCase()) ?? keys.keyFor(name, `team-${id.slice(0, 8)}`);
}

function checkDeclared(declared: readonly DesiredTenant[], key: string, folder: string): void {
  const { place } = declared.find((tenant) => tenant.key === key) ?? {};
  if (!place || place.file === join(folder, fileNameOf(key))) return;
  throw new Failure(
    'invalidInput',
    `${key} is declared in ${place.file}, beside which ${fileNameOf(key)} would be written.`,
    {
      hint: 'Take it out of that file, or name another folder with --out. Nothing was written.',
    },
  );
}

/** Returns the files that stand beside those of the tenants: the schema, and what keeps secrets out of git. */
function besides(files: readonly FileToWrite[]): readonly FileToWrite[] {
  const schema = { path: schemaName, text: `${schemaText()}\n` };
  const ignore = { path: `${secretsFolder}/.gitignore`, text: '*\n', isSecret: true };
  return files.some(({ isSecret }) => isSecret) ? [schema, ignore] : [schema];
}

/** Returns the lock with tenants in the place of what it knew of them, but for devices, of which only it may know. */
function withTenants(lock: Lock, tenants: readonly ExportedTenant[]): Lock {
  const keys = new Set<string | undefined>(tenants.map(({ tenant }) => tenant.key));
  const kept = [...lock.entries].filter(([address]) => {
    const [key, kind] = address.split('/');
    return !keys.has(key) || kind === 'devices';
  });
  const added = tenants.flatMap(({ entries }) => [...entries]);
  return { ...lock, entries: new Map([...kept, ...added]) };
}
