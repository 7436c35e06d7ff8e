import { createHash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { type Held, held, type Refused, refusal } from '../documents/sync/ledger-text.ts';
import { Failure, inputFailure } from '../lib/errors.ts';
import { canonicalJson } from '../lib/exact-json.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { unreadable, unwritable } from '../lib/files/file-failure.ts';
import type { Lock } from '../lib/files/lock.ts';
import { isId } from '../lib/ids.ts';
import { groupBy } from '../lib/iterables.ts';
import { isObject, type JsonObject, parseJson } from '../lib/json-object.ts';
import { command, remark } from '../lib/text/remark.ts';
import { comparable } from '../resources/bots/editable.ts';
import { originOf } from '../settings/base-url.ts';
import { readSharedIfThere } from '../settings/files.ts';
import { type Address, type DeclaredField, type Move, revealed } from './desired.ts';
import { type SecretRecord, secretRecord } from './secret-records.ts';

/** The name of the lock beside the files of the tenants, where none is named. */
export const stateFileName = 'tenants.lock.json';

/** What the lock knows of an object. */
export interface StateEntry {
  /** Undefined where a create was cut off, and nobody knows whether there is such an object. */
  readonly id?: string | undefined;
  /** When such a create was begun, in ISO 8601. */
  readonly unknown_since?: string | undefined;
  /** It was created from these files, and not found. */
  readonly created?: boolean | undefined;
  /** Fields by the API's names, as they were applied last: see `keptValue`. Secret ones are not among them. */
  readonly applied: JsonObject;
  /** The names of the secret fields that were applied. */
  readonly secret?: readonly string[] | undefined;
  /** How a change of them is noticed; a field that is missing here is unverified. */
  readonly secrets?: Readonly<Record<string, SecretRecord>> | undefined;
  /** SHA-256 of the file of a document, in hexadecimal. */
  readonly sha256?: string | undefined;
  /** Of a document: what a ledger says of it, see `LedgerLine`. */
  readonly text?: string | undefined;
  readonly size?: number | undefined;
  readonly chars?: number | undefined;
  readonly earlier?: readonly string[] | undefined;
  readonly held?: readonly Held[] | undefined;
  readonly refused?: Refused | undefined;
}

/** What is known of the objects that files declare: at which service, and by which id. */
export interface State {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly entries: ReadonlyMap<Address, StateEntry>;
}

const entrySchema = z.strictObject({
  id: z.optional(z.string().check(z.refine(isId))),
  unknown_since: z.optional(z.string()),
  created: z.optional(z.boolean()),
  applied: z._default(z.record(z.string(), z.unknown()), {}),
  secret: z.optional(z.array(z.string())),
  secrets: z.optional(z.record(z.string(), secretRecord)),
  sha256: z.optional(z.string()),
  text: z.optional(z.string()),
  size: z.optional(z.number()),
  chars: z.optional(z.number()),
  earlier: z.optional(z.array(z.string())),
  held: z.optional(z.array(held)),
  refused: z.optional(refusal),
});

/** The member after the last address, so that a line can be added behind any other without that one changing. */
const end = '~';

const lockSchema = z.strictObject({
  version: z.literal(1),
  origin: z.string(),
  objects: z.record(z.string(), z.union([z.literal('end'), entrySchema])),
});

/** Returns the folder beside a lock that has what its applies were cut off at. */
export function journalOf(lock: string): string {
  return `${lock}.journal`;
}

/**
 * Reads a lock; one without entries where there is no file.
 * @param baseUrl address of the service that it has to be of; any if not given
 * @throws Failure `invalidInput` where it can't be read, or is that of another service
 */
export function readState(path: string, baseUrl?: string): State {
  const origin = baseUrl === undefined ? undefined : originOf(baseUrl);
  const lock = readIfChanged(path);
  if (!lock) return { origin: origin ?? '', entries: new Map() };
  if (origin !== undefined && lock.origin !== origin) {
    throw inputFailure(
      [`${path} is of ${lock.origin}, and this line goes to ${origin}.`],
      remark`Each service has a lock of its own: name that of this one with --lock.\nIf the service has moved to this address: ${command('tenants', 'rebind', '--lock', path)}`,
    );
  }
  return lock;
}

/** What was written last: an apply reads its lock again before each change, and nearly always it is as it left it. */
let lastWritten: { readonly identity: string; readonly lock: State } | undefined;

/** Returns the lock of a file, or undefined if there is none. */
function readIfChanged(path: string): State | undefined {
  const figures = lastWritten && statSync(path, { bigint: true, throwIfNoEntry: false });
  if (lastWritten && figures && identityOf(figures) === lastWritten.identity) return lastWritten.lock;
  const text = readText(path);
  return text === undefined ? undefined : parsed(path, text);
}

/** Returns what tells a file from any other, and from itself once somebody writes to it. */
function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join(' ');
}

function parsed(path: string, text: string): State {
  if (/^(?:<{7}|>{7}) /m.test(text))
    throw damaged(
      path,
      'it holds two versions, which git could not merge',
      'Keep the right lines, then remove the marks.',
    );
  const [repeated] = repeatedMembers(text);
  if (repeated)
    throw damaged(
      path,
      `it has ${repeated.name} ${repeated.lines.length} times, on lines ${repeated.lines.join(' and ')}`,
      'A merge may have kept the lines of two branches. Keep the line whose id is that of the object in use, and remove the other.',
    );
  const checked = z.safeParse(lockSchema, parseJson(text));
  if (!checked.success) throw damaged(path, problemOf(text, checked.error));
  const { objects, origin } = checked.data;
  const entries = new Map<Address, StateEntry>();
  for (const [address, entry] of Object.entries(objects)) if (entry !== 'end') entries.set(address, entry);
  return { origin, entries };
}

/** An address of a lock, or a member of its head, that is written more than once. */
interface Repeated {
  readonly name: string;
  readonly lines: readonly number[];
}

/** Returns the addresses, and the members of the head, that a lock has more than once. `JSON.parse` would keep the last one. */
function repeatedMembers(text: string): readonly Repeated[] {
  const found = new Map<string, number[]>();
  let [depth, line] = [0, 1];
  for (const [token] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]\n]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === '\n') line += 1;
    // The members of entries are deeper.
    else if (depth <= 2 && token.endsWith(':')) {
      const name = `${depth} ${token.slice(0, -1).trimEnd()}`;
      const lines = found.get(name);
      if (lines) lines.push(line);
      else found.set(name, [line]);
    }
  }
  return [...found].flatMap(([name, lines]) => (lines.length > 1 ? [{ name: name.slice(2), lines }] : []));
}

function readText(path: string): string | undefined {
  try {
    return readSharedIfThere(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function problemOf(text: string, { issues: [issue] }: z.core.$ZodError): string {
  const value = parseJson(text);
  if (!isObject(value)) return 'it is not whole';
  if (typeof value.version === 'number' && value.version > 1) return 'a newer botctl wrote it';
  return issue ? `there is something wrong with ${issue.path.join(' ') || 'its members'}` : 'it is no lock';
}

function damaged(path: string, why: string, hint?: string): Failure {
  return new Failure('invalidInput', `${path} can't be read as a lock: ${why}.`, {
    hint: hint ?? 'Take it back from your version control. What no lock knows is looked for by its name.',
  });
}

/**
 * Replaces a lock: a line for each address, in their order, so that the locks of two branches merge.
 * @param turn that of the lock, checked just before the file is replaced
 * @throws Failure `invalidInput` if it can't be written, and the error of the check; the old content is then still there
 */
export function writeState(path: string, { origin, entries }: State, turn?: Pick<Lock, 'check'>): void {
  // In the order of the file, so that the next to write it finds nearly all in their places.
  const lock = { origin, entries: new Map(inOrder(entries)) };
  try {
    const figures = writeFileAtomically(path, stateText(lock), {
      isShared: true,
      check: () => turn?.check(),
    });
    lastWritten = { identity: identityOf(figures), lock };
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Changes a lock as it is by now.
 * @param turn that of the lock, which the caller has
 * @param change returns what is to be written, or what it was given where nothing is
 * @throws Failure `invalidInput` as `readState` and `writeState`; `network` if another process has taken the turn over;
 *   and whatever `change` throws
 */
export function updateState(
  turn: Pick<Lock, 'check'>,
  path: string,
  baseUrl: string | undefined,
  change: (lock: State) => State,
): void {
  const before = readState(path, baseUrl);
  const after = change(before);
  if (after === before) return;
  writeState(path, after, turn);
}

/** The lines of entries: an apply writes them all again after each outcome, and nearly all are as they were. */
const written = new WeakMap<StateEntry, { readonly address: Address; readonly line: string }>();

function lineOf([address, entry]: StateLine): string {
  const known = written.get(entry);
  if (known?.address === address) return known.line;
  const line = `    ${JSON.stringify(address)}: ${JSON.stringify(entry)},`;
  written.set(entry, { address, line });
  return line;
}

function inOrder(entries: State['entries']): readonly StateLine[] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns the text of a lock. */
export function stateText({ origin, entries }: State): string {
  const lines = inOrder(entries).map(lineOf);
  const head = ['{', '  "version": 1,', `  "origin": ${JSON.stringify(origin)},`, '  "objects": {'];
  return [...head, ...lines, `    "${end}": "end"`, '  }', '}', ''].join('\n');
}

/** Returns the ids of all that a lock knows, in lower case: also of documents that others took the place of. */
export function knownIds({ entries }: Pick<State, 'entries'>): ReadonlySet<string> {
  const ids = [...entries.values()].flatMap(({ id, earlier = [] }) => [...(id ? [id] : []), ...earlier]);
  return new Set(ids.map((id) => id.toLowerCase()));
}

/** What locks have of documents, by the keys of tenants: each bot is planned by those of its own tenant. */
const documentsOf = new WeakMap<State, ReadonlyMap<string, readonly StateLine[]>>();

/** An entry with its address. */
type StateLine = readonly [Address, StateEntry];

/** Returns what a lock, which nobody changes any more, has of the documents of a tenant. */
export function documentsIn(lock: State, tenant: string): readonly StateLine[] {
  const known = documentsOf.get(lock) ?? documentsByTenant(lock);
  documentsOf.set(lock, known);
  return known.get(tenant) ?? [];
}

function documentsByTenant({ entries }: State): ReadonlyMap<string, readonly StateLine[]> {
  const all = [...entries].filter(([address]) => address.split('/')[1] === 'documents');
  return groupBy(all, ([address]) => address.split('/')[0] ?? '');
}

/** Returns the lock with the addresses that changed. Where the new one is known already, the move was made. */
export function moved(lock: State, moves: readonly Move[]): State {
  const entries = new Map(lock.entries);
  // What moved within a tenant is told by the tenant's new key.
  const depth = ({ to }: Move): number => to.split('/').length;
  for (const { from, to } of moves.toSorted((one, other) => depth(one) - depth(other))) {
    const below = [...entries.keys()].filter((address) => address === from || address.startsWith(`${from}/`));
    for (const address of below) {
      const target = `${to}${address.slice(from.length)}`;
      const entry = entries.get(address);
      if (entry && !entries.has(target)) {
        entries.delete(address);
        entries.set(target, entry);
      }
    }
  }
  return { ...lock, entries };
}

/** Characters of a value that is kept as it is; of a longer one its hash. */
const longestKept = 500;

/** Returns what the lock keeps of a value in its comparable form: itself, or the hash of a long one. */
export function keptValue(value: unknown): unknown {
  return canonicalJson(value).length <= longestKept ? value : { sha256: valueHash(value) };
}

/** Returns the SHA-256 of a JSON value, in hexadecimal: the same in whatever order its objects have their members. */
export function valueHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** True if what the lock kept is this value, in its comparable form. */
export function isKept(kept: unknown, value: unknown): boolean {
  return isSameJson(kept, keptValue(value));
}

/** True if two JSON values are the same, in whatever order their objects have their members. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Returns what the lock keeps of fields that were applied: of secret ones the name alone, see `secrets` for the rest. */
export function keptFields(
  fields: readonly (readonly [string, DeclaredField])[],
): Pick<StateEntry, 'applied' | 'secret'> {
  const open = fields.filter(([, { isSecret }]) => !isSecret);
  const secret = fields.flatMap(([name, { isSecret }]) => (isSecret ? [name] : []));
  const applied = open.map(([name, { value }]) => [name, keptValue(comparable(name, revealed(value)))]);
  return { applied: Object.fromEntries(applied), ...(secret.length > 0 && { secret }) };
}
