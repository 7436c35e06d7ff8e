import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { replacesFile, writeFailure } from '../../lib/files/file-failure.ts';
import { readTextFile } from '../../lib/files/text-input.ts';
import { isSameId } from '../../lib/ids.ts';
import type { Io } from '../../lib/io.ts';
import { groupBy } from '../../lib/iterables.ts';
import { ownMember } from '../../lib/json-object.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { changeLocked } from '../apply-lock.ts';
import { type Address, type Place, placeWords, revealValue, tenantKeyOf } from '../desired.ts';
import { memberOf, membersOf, readFileValue } from '../files/file-value.ts';
import { tenantFilesIn } from '../files/find-tenant-files.ts';
import { schemaText } from '../files/schema.ts';
import { forEachConcurrently } from '../read-rows.ts';
import { type SecretRecord, saltFor } from '../secret-records.ts';
import {
  objectAt,
  objectsIn,
  readState,
  type State,
  type StateEntry,
  stateFileName,
  stateText,
} from '../state-file.ts';
import { exportedRecord, SecretSearch } from './exported-secrets.ts';
import { type ExportedTenant, exportedTenant } from './exported-tenant.ts';
import { Keys } from './keys.ts';
import { readTeams } from './read-teams.ts';
import { type FileToWrite, fileNameOf, filesForTenant, schemaName, secretsFolder } from './tenant-files.ts';
import { conflictingFiles, isEmptyFolder, writeFiles } from './write-files.ts';

type ExportContext = Pick<
  ResourceContext,
  'api' | 'signal' | 'reporter' | 'askWhich' | 'devices' | 'redact'
> & {
  readonly io: Pick<Io, 'env' | 'signal'>;
};

/** Input of an export. */
export interface ExportInput {
  /** Names and ids; undefined for every team. */
  readonly teams: readonly string[] | undefined;
  readonly folder: string;
  /** Path of the state file; by default beside the files. */
  readonly lock: string | undefined;
}

/** The files and entries that an export writes. */
export interface PreparedExport {
  readonly folder: string;
  readonly statePath: string;
  readonly tenants: readonly ExportedTenant[];
  readonly files: readonly FileToWrite[];
  /** Paths of existing files whose content would change. */
  readonly replaced: readonly string[];
  /** Ids of teams without a name, which files can't declare. */
  readonly unnamed: readonly string[];
  /** The state when the keys were chosen. */
  readonly state: State;
  /** The state that is written. */
  readonly after: State;
}

/** The fingerprints of the secret fields of bots, by address and field. */
type Fingerprints = ReadonlyMap<Address, Readonly<Record<string, SecretRecord>>>;

/**
 * Reads teams, and returns the files that declare them. Nothing is written.
 * @throws Failure `invalidInput` for a folder that contains something else or can't be written, and as `readState` and `readTeams`
 */
export async function prepareExport(context: ExportContext, input: ExportInput): Promise<PreparedExport> {
  const { folder } = input;
  const path = input.lock ?? join(folder, stateFileName);
  const state = readState(path, context.api.baseUrl);
  checkPlaces(input, path);
  const contents = await readTeams(context, input.teams);
  const bots = contents.flatMap((content) => content.bots);
  const search = new SecretSearch(state, bots, context.redact);
  const declared = await readDeclared(context.io, folder);
  const keys = keyChooser(state, declared);
  const known = groupBy([...state.entries], ([address]) => tenantKeyOf(address));
  const exported = contents.map((content) => {
    const key = keys(content.team.id, String(content.team.name ?? ''));
    checkDeclared(declared, state, key, folder);
    return { id: content.team.id, tenant: exportedTenant(key, content, known.get(key) ?? [], search) };
  });
  const tenants = exported.flatMap(({ tenant }) => tenant ?? []);
  const after = mergeTenants(state, tenants, await recordsOf(context, tenants, state));
  const own = tenants.flatMap(({ tenant }) => filesForTenant(tenant));
  // Secrets are written after the file that excludes them from git.
  const files = [...extraFiles(own), ...own];
  return {
    ...{ folder, statePath: path, tenants, files, state, after },
    replaced: conflictingFiles(folder, files),
    unnamed: exported.flatMap(({ id, tenant }) => (tenant ? [] : [id])),
  };
}

/**
 * Writes the files, and adds their objects to the state file.
 * @throws Failure `invalidInput` if the state file has changed since; as `writeFiles` and `updateState`
 */
export async function writeExport(
  { api, signal, reporter }: Pick<ExportContext, 'api' | 'signal' | 'reporter'>,
  { folder, statePath: path, tenants, files, state, after }: PreparedExport,
): Promise<void> {
  if (tenants.length === 0) return;
  if (!existsSync(folder) && isIn(folder, path)) {
    // A new folder appears with all of its files at once.
    writeFiles(folder, [...files, { path: basename(path), text: stateText(after) }]);
    return;
  }
  await changeLocked({ signal, reporter }, path, api.baseUrl, (latest) => {
    // Another command may have used the key for another team, or created objects.
    if (stateText(latest) !== stateText(state))
      throw new Failure('invalidInput', `${path} was changed by another command.`, {
        hint: 'Run it again. Nothing was written.',
      });
    writeFiles(folder, files);
    return after;
  });
}

function isIn(folder: string, path: string): boolean {
  return resolve(dirname(path)) === resolve(folder);
}

/** Refuses a folder that contains files and has no state file: it may be anything. */
function checkPlaces({ folder, lock }: ExportInput, path: string): void {
  if (lock !== undefined && !isIn(folder, lock)) replacesFile(lock);
  try {
    statSync(`${dirname(folder)}/`);
  } catch (error) {
    throw writeFailure(folder, error);
  }
  if (isEmptyFolder(folder) || existsSync(path)) return;
  throw new Failure('invalidInput', `${folder} is not empty, and its state file ${path} does not exist.`, {
    hint: 'Name a new folder with --out, or the state file of this folder with --lock. Nothing was written.',
  });
}

/** The places in the files of a folder that declare tenants. */
interface DeclaredPlaces {
  /** By key. */
  readonly places: ReadonlyMap<string, Place>;
  /** Those with a variable in their key. */
  readonly templates: readonly Place[];
}

/**
 * Returns what a folder declares, unexpanded: the values of variables are not known here.
 * @throws Failure `invalidInput` for files that can't be read
 */
async function readDeclared(io: ExportContext['io'], folder: string): Promise<DeclaredPlaces> {
  const places = new Map<string, Place>();
  const templates: Place[] = [];
  for (const file of isEmptyFolder(folder) ? [] : await tenantFilesIn(folder)) {
    const { root, problems } = await readFileValue(await readTextFile(file, io.signal), file);
    const [problem] = problems;
    if (problem) throw inputFailure([`${placeWords(problem.place)}: ${problem.message}`], nothingWritten);
    for (const [key, { place }] of membersOf(root && memberOf(root, 'tenants'))) {
      if (key.includes('${')) templates.push(place);
      else places.set(key, place);
    }
  }
  return { places, templates };
}

const nothingWritten = 'Nothing was written. Fix the file, or name another folder with --out.';

/** Returns a function that returns the key of a team: the one of the state file, or a new one derived from its name. */
function keyChooser(state: State, { places }: DeclaredPlaces): (id: string, name: string) => string {
  const known = new Map<string, string>();
  for (const [address, { id }] of state.entries)
    if (id !== undefined && !address.includes('/')) known.set(id.toLowerCase(), address);
  const locked = [...state.entries.keys()].map(tenantKeyOf);
  const keys = new Keys([secretsFolder, ...locked, ...places.keys()]);
  return (id, name) => known.get(id.toLowerCase()) ?? keys.keyFor(name, `team-${id.slice(0, 8)}`);
}

/** Checks that no other file declares a tenant. */
function checkDeclared(
  { places, templates }: DeclaredPlaces,
  state: State,
  key: string,
  folder: string,
): void {
  const own = join(folder, fileNameOf(key));
  const place = places.get(key);
  // If no file declares a tenant of the state file, a template made it.
  const other = place ?? (state.entries.has(key) ? templates[0] : undefined);
  if (!other || other.file === own) return;
  const is = place ? 'is already' : 'may already be';
  throw inputFailure(
    [`${key} ${is} declared in ${other.file}, so ${fileNameOf(key)} would declare it twice.`],
    'Name another folder with --out, or remove it from that file. Nothing was written.',
  );
}

/** Returns the files besides those of the tenants: the schema, and the file that excludes secrets from git. */
function extraFiles(files: readonly FileToWrite[]): readonly FileToWrite[] {
  const schema = { path: schemaName, text: `${schemaText()}\n` };
  const ignore = { path: `${secretsFolder}/.gitignore`, text: '*\n', isSecret: true };
  return files.some(({ isSecret }) => isSecret) ? [schema, ignore] : [schema];
}

/**
 * Returns the fingerprints of the exported secrets. Fingerprints that still match are reused, so that the state file does not
 * change.
 */
async function recordsOf(
  context: Pick<ExportContext, 'signal'>,
  tenants: readonly ExportedTenant[],
  state: State,
): Promise<Fingerprints> {
  const salt = saltFor(objectsIn(state));
  const bots = tenants.flatMap(({ tenant }) => tenant.bots);
  const records = new Map<Address, Readonly<Record<string, SecretRecord>>>();
  await forEachConcurrently(context, bots, async ({ address, fields }) => {
    const before = objectAt(state, address)?.secrets ?? {};
    const entries: (readonly [string, SecretRecord])[] = [];
    for (const [name, { value, isSecret }] of Object.entries(fields)) {
      const field = { name, value: revealValue(value), isSecret };
      if (isSecret) entries.push([name, await exportedRecord(field, ownMember(before, name), salt)]);
    }
    records.set(address, Object.fromEntries(entries));
  });
  return records;
}

/** Replaces the entries of tenants in a state, except for devices, which may be recorded only there. */
function mergeTenants(state: State, tenants: readonly ExportedTenant[], records: Fingerprints): State {
  const keys = new Set<string | undefined>(tenants.map(({ tenant }) => tenant.key));
  const remaining = [...state.entries].filter(([address]) => {
    const [key, kind] = address.split('/');
    return !keys.has(key) || kind === 'devices';
  });
  const added = tenants.flatMap(({ entries }) =>
    [...entries].map(([address, entry]): readonly [Address, StateEntry] => {
      const found = state.entries.get(address);
      const before = found && isSameId(found.id, entry.id) ? found : undefined;
      if ('path' in entry) {
        const sha256 = before && 'path' in before && before.sha256;
        return [address, { ...entry, ...(sha256 && { sha256 }) }];
      }
      const { created, secrets } = before && !('path' in before) ? before : { created: false, secrets: {} };
      const hidden = entry.secret && { secrets: { ...secrets, ...records.get(address) } };
      return [address, { ...entry, ...(created && { created }), ...hidden }];
    }),
  );
  return { ...state, entries: new Map([...remaining, ...added]) };
}
