import { createHash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { type LedgerLine, ledgerLine } from '../documents/sync/ledger-text.ts';
import { Failure, inputFailure } from '../lib/errors.ts';
import { canonicalJson } from '../lib/exact-json.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { readFailure, writeFailure } from '../lib/files/file-failure.ts';
import type { Lock } from '../lib/files/lock.ts';
import { isId } from '../lib/ids.ts';
import { groupBy } from '../lib/iterables.ts';
import { asText, isObject, parseJson } from '../lib/json-object.ts';
import { command, remark } from '../lib/text/remark.ts';
import { comparable } from '../resources/bots/editable.ts';
import { originOf } from '../settings/base-url.ts';
import { readSharedIfExists } from '../settings/small-files.ts';
import {
  type Address,
  type DeclaredField,
  isWithin,
  type Move,
  revealValue,
  tenantKeyOf,
} from './desired.ts';
import { secretRecord } from './secret-records.ts';

/** The name of the state file beside the files of the tenants, if no other is given. */
export const stateFileName = 'tenants.lock.json';

/** The version that is written. A newer botctl may write a higher one. */
const version = 2;

const id = z.string().check(z.refine(isId));

const objectEntry = z.strictObject({
  /** Absent if a create was interrupted, and it is unknown whether the object exists. */
  id: z.optional(id),
  /** When such a create began, in ISO 8601. */
  unknown_since: z.optional(z.string()),
  /** It was created from these files, not found by name. */
  created: z.optional(z.boolean()),
  /** Fields by the API's names, as they were last applied: see `recordedValue`. Secret fields are not included. */
  applied: z._default(z.record(z.string(), z.unknown()), {}),
  /** The names of the secret fields that were applied. */
  secret: z.optional(z.array(z.string())),
  /** Fingerprints to detect changes of secret fields; a field without one is unverified. */
  secrets: z.optional(z.record(z.string(), secretRecord)),
});

/** Members of the entry of a created object, beside the id. */
export const createdEntry = z.object(z.omit(objectEntry, { id: true, unknown_since: true }).shape);

/** A team, a bot or a device in the state file. */
export type ObjectEntry = Readonly<z.infer<typeof objectEntry>>;

/** An object in the state file; a document is a line of a ledger, whose path is its address. */
export type StateEntry = ObjectEntry | Readonly<LedgerLine>;

/** In the file, the key is the address. */
const documentEntry = z.extend(z.strictObject(z.omit(ledgerLine, { path: true }).shape), {
  id: z.optional(id),
});

/** A document in version 1, which a merge may also put into a file of version 2. */
const documentEntry1 = z.pipe(
  z.extend(z.omit(documentEntry, { name: true }), objectEntry.shape),
  z.transform(({ applied, created: _c, secret: _s, secrets: _r, unknown_since: _u, ...line }) => ({
    ...line,
    name: asText(applied.name),
  })),
);

/** The objects that files declare, as far as they are known: the service, and their ids. */
export interface State {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly entries: ReadonlyMap<Address, StateEntry>;
}

type Entries = Pick<State, 'entries'>;

/** Returns the entry of a team, a bot or a device. */
export function objectAt({ entries }: Entries, address: Address): ObjectEntry | undefined {
  const entry = entries.get(address);
  return entry && !('path' in entry) ? entry : undefined;
}

/** Returns the entries of teams, bots and devices, with their addresses. */
export function objectsIn({ entries }: Entries): readonly (readonly [Address, ObjectEntry])[] {
  return [...entries].flatMap(([address, entry]) => ('path' in entry ? [] : [[address, entry] as const]));
}

/** Returns the entry of a document. */
export function documentAt({ entries }: Entries, address: Address): LedgerLine | undefined {
  const entry = entries.get(address);
  return entry && 'path' in entry ? entry : undefined;
}

/** Returns whether an address is that of a document: `aurora/documents/menu`. */
function isOfDocument(address: Address): boolean {
  return address.split('/')[1] === 'documents';
}

/** The member after the last address, so that a line can be appended without a change of the line before. */
const end = '~';

const fileSchema = z.strictObject({
  version: z.union([z.literal(1), z.literal(version)]),
  origin: z.string(),
  objects: z.record(z.string(), z.unknown()),
});

/** Returns the path of the folder beside a state file that contains the intent logs of its applies. */
export function journalOf(path: string): string {
  return `${path}.journal`;
}

/**
 * Reads a state file. Returns a state without entries if there is no file.
 * @param baseUrl address of the service that the state file must be for; any if not given
 * @throws Failure `invalidInput` if it can't be read, or is for another service
 */
export function readState(path: string, baseUrl?: string): State {
  const origin = baseUrl === undefined ? undefined : originOf(baseUrl);
  const state = readIfChanged(path);
  if (!state) return { origin: origin ?? '', entries: new Map() };
  if (origin !== undefined && state.origin !== origin) {
    throw inputFailure(
      [`${path} belongs to ${state.origin}, not to ${origin}.`],
      remark`Each service has its own state file: name it with --lock.\nIf the service has moved to this address: ${command('tenants', 'rebind', '--lock', path)}`,
    );
  }
  return state;
}

/** The last write: an apply reads the file again before each change, and it is nearly always unchanged. */
let lastWritten: { readonly identity: string; readonly state: State } | undefined;

/** Returns the state in a file, or undefined if there is no file. */
function readIfChanged(path: string): State | undefined {
  const figures = lastWritten && statSync(path, { bigint: true, throwIfNoEntry: false });
  if (lastWritten && figures && identityOf(figures) === lastWritten.identity) return lastWritten.state;
  try {
    const text = readSharedIfExists(path);
    return text === undefined ? undefined : parseState(path, text);
  } catch (error) {
    throw readFailure(path, error);
  }
}

/** Returns a text that is different for each file, and after each write. */
function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join(' ');
}

function parseState(path: string, text: string): State {
  if (/^(?:<{7}|>{7}) /m.test(text))
    throw damagedFailure(
      path,
      'it contains a merge conflict',
      'Keep the right lines and remove the conflict markers.',
    );
  const repeated = repeatedMember(text);
  if (repeated)
    throw damagedFailure(
      path,
      `it has ${repeated.name} ${repeated.lines.length} times, on lines ${repeated.lines.join(' and ')}`,
      'A merge may have kept the lines of both branches. Keep the line with the id of the object in use, and remove the other.',
    );
  const value = parseJson(text);
  if (!isObject(value)) throw damagedFailure(path, 'the file is incomplete');
  if (typeof value.version === 'number' && value.version > version)
    throw damagedFailure(path, 'it was written by a newer version of botctl', 'Update botctl.');
  const checked = z.safeParse(fileSchema, value);
  if (!checked.success) throw damagedFailure(path, problemOf([], checked.error));
  const entries = new Map<Address, StateEntry>();
  for (const [address, written] of Object.entries(checked.data.objects)) {
    if (written === 'end') continue;
    const entry = parseEntry(address, written);
    if (entry instanceof z.core.$ZodError) throw damagedFailure(path, problemOf(['objects', address], entry));
    entries.set(address, entry);
  }
  return { origin: checked.data.origin, entries };
}

/** Returns the entry of an address, or the problem with it. */
function parseEntry(path: Address, written: unknown): StateEntry | z.core.$ZodError {
  if (!isOfDocument(path)) {
    const { data, error } = z.safeParse(objectEntry, written);
    return data ?? error;
  }
  // Git merges by lines: an entry that a branch of version 1 changed is still in that format.
  const isOfVersion1 = isObject(written) && 'applied' in written;
  const { data, error } = z.safeParse(isOfVersion1 ? documentEntry1 : documentEntry, written);
  return data ? { path, ...data } : error;
}

/**
 * Returns an address, or a member of the head, that occurs more than once, with its line numbers. `JSON.parse` would keep the
 * last one.
 */
function repeatedMember(
  text: string,
): { readonly name: string; readonly lines: readonly number[] } | undefined {
  const found = new Map<string, number[]>();
  let [depth, line] = [0, 1];
  for (const [token] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]\n]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === '\n') line += 1;
    // Members of entries are deeper.
    else if (depth <= 2 && token.endsWith(':')) {
      const name = `${depth} ${token.slice(0, -1).trimEnd()}`;
      const lines = found.get(name);
      if (lines) lines.push(line);
      else found.set(name, [line]);
    }
  }
  const [name, lines] = [...found].find(([, all]) => all.length > 1) ?? [];
  return name === undefined || !lines ? undefined : { name: name.slice(2), lines };
}

function problemOf(path: readonly PropertyKey[], { issues: [issue] }: z.core.$ZodError): string {
  return `${[...path, ...(issue?.path ?? [])].join(' ') || 'its content'} is not valid`;
}

function damagedFailure(path: string, why: string, hint?: string): Failure {
  return new Failure('invalidInput', `The state file ${path} can't be read: ${why}.`, {
    hint: hint ?? 'Restore it from version control. Objects that no state file has are searched for by name.',
  });
}

/**
 * Replaces a state file: one line for each address, sorted, so that the state files of two branches merge.
 * @param lock the lock of the state file, checked just before the file is replaced
 * @throws Failure `invalidInput` if it can't be written, and the error of the check; the previous content is then unchanged
 */
export function writeState(path: string, { origin, entries }: State, lock?: Pick<Lock, 'check'>): void {
  // Sorted as in the file, so that sorting for the next write is fast.
  const state = { origin, entries: new Map(sortEntries(entries)) };
  const text = stateText(state);
  try {
    const figures = writeFileAtomically(path, text, { isShared: true, check: () => lock?.check() });
    lastWritten = { identity: identityOf(figures), state };
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/**
 * Reads a state file, changes the state, and writes it.
 * @param lock the lock of the state file, which the caller holds
 * @param change returns the state to write, or its argument to write nothing
 * @throws Failure `invalidInput` as `readState` and `writeState`; `network` if another process has acquired the lock;
 *   and errors of `change`
 */
export function updateState(
  lock: Pick<Lock, 'check'>,
  path: string,
  baseUrl: string | undefined,
  change: (state: State) => State,
): void {
  const before = readState(path, baseUrl);
  const after = change(before);
  if (after === before) return;
  writeState(path, after, lock);
}

/** The lines of entries: an apply writes all of them after each outcome, and nearly all are unchanged. */
const lines = new WeakMap<StateEntry, { readonly address: Address; readonly line: string }>();

function lineOf([address, entry]: AddressedEntry): string {
  const known = lines.get(entry);
  if (known?.address === address) return known.line;
  const line = `    ${JSON.stringify(address)}: ${JSON.stringify(entryToWrite(address, entry))},`;
  lines.set(entry, { address, line });
  return line;
}

/** Returns an entry as it is written: the members of a document in a fixed order, since git compares lines. */
function entryToWrite(address: Address, entry: StateEntry): unknown {
  if (!isOfDocument(address)) return entry;
  const { path: _isTheKey, ...line } = z.parse(ledgerLine, entry);
  return line;
}

/** An entry with its address. */
type AddressedEntry = readonly [Address, StateEntry];

function sortEntries(entries: State['entries']): readonly AddressedEntry[] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns the text of a state file. */
export function stateText({ origin, entries }: State): string {
  const head = ['{', `  "version": ${version},`, `  "origin": ${JSON.stringify(origin)},`, '  "objects": {'];
  return [...head, ...sortEntries(entries).map(lineOf), `    "${end}": "end"`, '  }', '}', ''].join('\n');
}

/** Returns the ids of all objects of a state, in lower case, including earlier documents. */
export function knownIds({ entries }: Entries): ReadonlySet<string> {
  const ids = [...entries.values()].flatMap((entry) => [
    ...(entry.id === undefined ? [] : [entry.id]),
    ...('path' in entry ? (entry.earlier ?? []) : []),
  ]);
  return new Set(ids.map((id) => id.toLowerCase()));
}

/** Returns a function that checks whether a state has an id, including earlier documents. */
export function knowsId(state: Entries): (id: string) => boolean {
  const ids = knownIds(state);
  return (id) => ids.has(id.toLowerCase());
}

/** The documents of states, by the keys of tenants: a bot is planned with those of its own tenant. */
const documentsOf = new WeakMap<State, ReadonlyMap<string, readonly LedgerLine[]>>();

/** Returns the documents of a tenant. They are cached: the state must not change any more. */
export function documentsIn(state: State, tenant: string): readonly LedgerLine[] {
  const known = documentsOf.get(state) ?? documentsByTenant(state);
  documentsOf.set(state, known);
  return known.get(tenant) ?? [];
}

function documentsByTenant({ entries }: State): ReadonlyMap<string, readonly LedgerLine[]> {
  const all = [...entries.values()].flatMap((entry) => ('path' in entry ? [entry] : []));
  return groupBy(all, ({ path }) => tenantKeyOf(path));
}

/** Returns a state with the addresses that changed. If it has the new address already, the move was made before. */
export function moveEntries(state: State, moves: readonly Move[]): State {
  const entries = new Map(state.entries);
  // In a move within a tenant, the address has the tenant's new key.
  const depth = ({ to }: Move): number => to.split('/').length;
  for (const { from, to } of moves.toSorted((one, other) => depth(one) - depth(other))) {
    const below = [...entries.keys()].filter((address) => isWithin(address, from));
    for (const address of below) {
      const path = `${to}${address.slice(from.length)}`;
      const entry = entries.get(address);
      if (entry && !entries.has(path)) {
        entries.delete(address);
        entries.set(path, 'path' in entry ? { ...entry, path } : entry);
      }
    }
  }
  return { ...state, entries };
}

/** A longer value is recorded as its hash. */
const maxRecordedLength = 500;

/** Returns the value that a state file records for a value in its comparable form: the value, or the hash of a long one. */
export function recordedValue(value: unknown): unknown {
  return canonicalJson(value).length <= maxRecordedLength ? value : { sha256: valueHash(value) };
}

/** Returns the SHA-256 of a JSON value, in hexadecimal: the same for every order of members. */
export function valueHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Returns whether `recorded` is the recorded value of this value in its comparable form. */
export function isRecordedValue(recorded: unknown, value: unknown): boolean {
  return isSameJson(recorded, recordedValue(value));
}

/** Returns whether two JSON values are equal, regardless of the order of members. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Returns the recorded values of applied fields: for secret ones only the name, see `secrets` for the rest. */
export function recordedFields(
  fields: readonly (readonly [string, DeclaredField])[],
): Pick<ObjectEntry, 'applied' | 'secret'> {
  const open = fields.filter(([, { isSecret }]) => !isSecret);
  const secret = fields.flatMap(([name, { isSecret }]) => (isSecret ? [name] : []));
  const applied = open.map(([name, { value }]) => [
    name,
    recordedValue(comparable(name, revealValue(value))),
  ]);
  return { applied: Object.fromEntries(applied), ...(secret.length > 0 && { secret }) };
}
