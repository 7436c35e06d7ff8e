import type { ResourceRow } from '../client/api.ts';
import { compareFound } from '../documents/sync/earlier-uploads.ts';
import type { LedgerLine } from '../documents/sync/ledger-text.ts';
import { linesAfter, type PlannedFile } from '../documents/sync/planned-file.ts';
import {
  type AmbiguousFile,
  countingText,
  type SettledFiles,
  settleFiles,
} from '../documents/sync/settle-files.ts';
import {
  knownBy,
  type ListedDocument,
  leftBehind,
  type Matches,
  matchFiles,
  withListedHeld,
} from '../documents/sync/sync-plan.ts';
import type { UploadIntent } from '../documents/upload/send-once.ts';
import { ShownSizes } from '../documents/upload/shown-size.ts';
import { isId, isSameId } from '../lib/ids.ts';
import { groupBy } from '../lib/iterables.ts';
import { textOf } from '../lib/json-object.ts';
import { inSentence } from '../lib/text/sentence.ts';
import type { Intent } from '../once/intent-log.ts';
import type { ResourceContext } from '../resources/resource-context.ts';
import type { DeclaredDocument, DeclaredTenant } from './declared-documents.ts';
import type { Address } from './desired.ts';
import { lineOf } from './document-lines.ts';
import { keyOf } from './kinds/key-changed.ts';
import type { Left } from './kinds/kind.ts';
import type { FileState, Found, Unclear } from './live-state.ts';
import { inTurns, unlessGone } from './read-rows.ts';
import { documentsIn, type State, type StateEntry } from './state-file.ts';

/** What the service and the lock have of the documents that the files declare. */
export interface LiveDocuments {
  readonly found: ReadonlyMap<Address, Found>;
  readonly files: ReadonlyMap<Address, FileState>;
  /** Addresses that may be any of several documents. */
  readonly unclear: ReadonlyMap<Address, Unclear>;
}

/** A tenant, and the documents of its team: none where there is no team yet. */
export interface TenantRows {
  readonly tenant: DeclaredTenant;
  readonly rows: readonly ResourceRow[];
}

type DocumentContext = Pick<ResourceContext, 'api' | 'signal' | 'reporter'>;

/** Returns the uploads to a team that earlier runs were cut off at. */
export type LeftUploads = (teamId: string) => readonly Intent<UploadIntent>[];

/** What files are compared with. */
interface Comparing {
  readonly lock: State;
  /** What the lock has at keys that the files don't declare. */
  readonly left: Left;
  readonly leftUploads: LeftUploads;
}

/** What the sync compares: the lock is the ledger, and addresses are the paths. */
interface Compared extends TenantRows, Matches {
  /** The names of the files whose documents are known by somebody's word alone, by their ids in lower case. */
  readonly byWord: ReadonlyMap<string, string>;
  readonly lines: ReadonlyMap<Address, LedgerLine>;
  /** What the lock has beside them in the team. */
  readonly elsewhere: readonly LedgerLine[];
  /** By their ids in lower case, those that are not listed among them. */
  readonly byId: ReadonlyMap<string, ResourceRow>;
}

const counting = {};

/**
 * Finds the documents that files declare, and says by the plan of the sync what is to be done about each file. Files whose
 * bytes the lock doesn't know are counted; nothing is changed.
 * @throws Failure as `Api.call`, and the signal's reason
 */
export async function findDocuments(
  context: DocumentContext,
  { lock, left, leftUploads }: Comparing,
  teams: readonly TenantRows[],
): Promise<LiveDocuments> {
  const sizes = new ShownSizes();
  const compared: Compared[] = [];
  for (const team of teams) {
    const entries = documentsIn(lock, team.tenant.key);
    const one = await compare(context, team, { entries, left, sizes });
    for (const { kind, file, line } of one.matches) {
      const row = line?.id === undefined ? undefined : one.byId.get(line.id.toLowerCase());
      if (kind === 'unchanged' && row) sizes.learn(line?.size ?? file.size, row.size);
    }
    compared.push(one);
  }
  const settled = await settleFiles(
    context,
    { counting: { ...counting, signal: context.signal }, asText: [] },
    compared.map((one) => ({
      matches: one.matches,
      documents: candidates(one),
      isKnown: knownBy([...one.lines.values(), ...one.elsewhere].map(withoutWord)),
    })),
    sizes,
  );
  const found = new Map<Address, Found>();
  const files = new Map<Address, FileState>();
  const unclear = new Map<Address, Unclear>();
  for (const [at, one] of compared.entries()) {
    const result = withWord(one, settled[at] ?? { files: [], unread: [], ambiguous: [] });
    for (const file of result.ambiguous) unclear.set(file.file.key, unclearOf(file));
    const teamId = lock.entries.get(one.tenant.address)?.id;
    const sent = teamId === undefined ? [] : leftUploads(teamId);
    const { files: known } = compareFound(result.files, sent, '');
    const planned = new Map(known.map((file) => [file.file.key, file]));
    const unread = new Map(result.unread.map(({ key, failure }) => [key, failure.message]));
    for (const document of one.tenant.documents) {
      const { address, file } = document;
      const entry = lock.entries.get(address);
      if (!file) found.set(address, existing(document, one.rows, entry, unclear));
      else found.set(address, foundOf(one, planned.get(address), entry));
    }
    const before = leftBehindBy(one, known, found);
    for (const { address } of one.tenant.documents)
      files.set(address, {
        planned: planned.get(address),
        unread: unread.get(address),
        before: before.get(address) ?? [],
      });
  }
  return { found, files, unclear };
}

/** True of a document that somebody said to be the one of an address: nobody knows yet what it holds. */
function isOfWord({ id, sha256, size }: LedgerLine): boolean {
  return id !== undefined && sha256 === undefined && size === undefined;
}

/** What the lock has of the documents of a tenant. */
interface Kept {
  readonly entries: readonly (readonly [Address, StateEntry])[];
  readonly left: Left;
  readonly sizes: ShownSizes;
}

/** Compares the files of a tenant with what the lock has of it. */
async function compare(
  context: DocumentContext,
  { tenant, rows }: TenantRows,
  { entries, left, sizes }: Kept,
): Promise<Compared> {
  const undeclared = new Set((left.get(`${tenant.address}/documents`) ?? []).map(({ address }) => address));
  const attached = new Set(tenant.documents.flatMap(({ address, file }) => (file ? [] : [address])));
  const own = entries.filter(([address]) => !undeclared.has(keyOf(address)) && !attached.has(address));
  const byId = new Map(rows.map((row) => [row.id.toLowerCase(), row]));
  const unlisted = own.flatMap(([, { id }]) => (id === undefined || byId.has(id.toLowerCase()) ? [] : [id]));
  // A list may show late what was just created.
  await inTurns(context, unlisted, async (id) => {
    const row = await unlessGone(async () => (await context.api.call('getDocument', { path: { id } })).data);
    if (row) byId.set(id.toLowerCase(), row);
  });
  const live = new Set(entries.flatMap(([, { id }]) => id?.toLowerCase() ?? []));
  const documents = new Map([...byId].map(([id, row]) => [id, listed(row)]));
  const lines = new Map(
    own.map(([address, entry]) => {
      const line = lineNow(address, entry, byId.get((entry.id ?? '').toLowerCase()));
      return [address, withListedHeld(line, documents, live, sizes)];
    }),
  );
  const files = tenant.documents.flatMap(({ address, name, file }) =>
    file && file.problem === undefined ? [{ ...file, key: address, name }] : [],
  );
  const declared = new Set(tenant.documents.map(({ address }) => address));
  const matches = matchFiles(lines, files, {
    isGone: (address) => !declared.has(address),
    isRetried: ({ counted }) => counted !== countingText(counting),
  });
  const others = entries.filter(([address]) => !lines.has(address));
  const elsewhere = others.map(([address, entry]) => lineOf(address, entry, textOf(entry.applied.name)));
  const byWord = new Map(
    matches.matches.flatMap(({ file, line }) =>
      line?.id !== undefined && isOfWord(line) ? [[line.id.toLowerCase(), file.name] as const] : [],
    ),
  );
  return { tenant, rows, lines, elsewhere, byId, byWord, ...matches };
}

/** Returns what the lock has of a document with the name that it has today, or without one that isn't there any more. */
function lineNow(address: Address, entry: StateEntry, row: ResourceRow | undefined): LedgerLine {
  const name = nameOf(row) ?? textOf(entry.applied.name);
  if (row || entry.id === undefined) return lineOf(address, entry, name);
  const { id, sha256: _bytes, text: _text, ...rest } = lineOf(address, entry, name);
  return { ...rest, earlier: [...(rest.earlier ?? []), entry.id] };
}

function nameOf(row: ResourceRow | undefined): string | undefined {
  return textOf(row?.name)?.normalize('NFC');
}

/** Returns a document as the sync compares it. */
export function listed(row: ResourceRow): ListedDocument {
  const { id, size, chars } = row;
  return { id, name: nameOf(row), size, chars };
}

/** What somebody said to be the document of a file is compared with it, whatever its name; and no other one is. */
function candidates({ byWord, rows }: Compared): readonly ListedDocument[] {
  const said = new Set<string | undefined>(byWord.values());
  return rows.flatMap((row) => {
    const document = listed(row);
    const name = byWord.get(row.id.toLowerCase());
    if (name !== undefined) return [{ ...document, name }];
    return said.has(document.name) ? [] : [document];
  });
}

function withoutWord(line: LedgerLine): LedgerLine {
  return isOfWord(line) ? { ...line, id: undefined } : line;
}

/** Where nobody can tell whether a document is that of a file, the word counts that it is. */
function withWord(one: Compared, { files, unread, ambiguous }: SettledFiles): SettledFiles {
  const said = ambiguous.flatMap(({ file, line, counted, documents }): readonly PlannedFile[] => {
    const there = documents.find(({ id }) => one.byWord.has(id.toLowerCase()) && isSameId(id, line?.id));
    return there ? [{ file, line, counted, there, change: 'changed' }] : [];
  });
  const keys = new Set(said.map(({ file }) => file.key));
  return {
    unread,
    files: [...files, ...said],
    ambiguous: ambiguous.filter(({ file }) => !keys.has(file.key)),
  };
}

function unclearOf({ file: { name }, documents }: AmbiguousFile): Unclear {
  const ids = documents.map(({ id }) => id).join(', ');
  const says =
    documents.length > 1
      ? `It may be any of ${documents.length} documents that are named ${inSentence(name)}, by size and characters: ${ids}.`
      : `It may be a document that is named ${inSentence(name)}, in which unit its size is shown, or how many characters it has, is not known: ${ids}.`;
  return { says, candidate: documents[0]?.id ?? '' };
}

/** Returns what the service has of the document of a file. */
function foundOf({ byId }: Compared, planned: PlannedFile | undefined, entry: StateEntry | undefined): Found {
  const rowOf = (id: string | undefined): ResourceRow | undefined => byId.get((id ?? '').toLowerCase());
  const there = rowOf(planned?.there?.id);
  if (there) return { state: isSameId(there.id, entry?.id) ? 'locked' : 'alike', row: there };
  const row = rowOf(planned ? planned.line?.id : entry?.id);
  if (row) return { state: 'locked', row };
  const isGone = entry?.id !== undefined && rowOf(entry.id) === undefined;
  return isGone ? { state: 'gone', id: entry.id } : { state: 'absent' };
}

/** Returns the documents that stood for files once and have the name of one that stands for a file, by their addresses. */
function leftBehindBy(
  { tenant, rows, lines, gone, elsewhere }: Compared,
  files: readonly PlannedFile[],
  found: ReadonlyMap<Address, Found>,
): ReadonlyMap<Address, readonly ListedDocument[]> {
  const after = linesAfter(lines, { files, gone });
  const addresses = new Map(
    after.flatMap(({ path, earlier = [] }) => earlier.map((id) => [id.toLowerCase(), path] as const)),
  );
  if (addresses.size === 0) return new Map();
  const attached = tenant.documents.flatMap(({ address, name, file }): readonly LedgerLine[] => {
    const one = file ? undefined : found.get(address);
    return one?.state === 'locked' || one?.state === 'alike'
      ? [{ path: address, id: one.row.id, name, at: '' }]
      : [];
  });
  const behind = leftBehind(after, rows.map(listed), [...elsewhere, ...attached]);
  return groupBy(behind, ({ id }) => addresses.get(id.toLowerCase()) ?? '');
}

/** Returns the document that is only attached. */
function existing(
  { address, name }: DeclaredDocument,
  rows: readonly ResourceRow[],
  entry: StateEntry | undefined,
  unclear: Map<Address, Unclear>,
): Found {
  // The files say which one it is; the lock tells it from others of its name.
  const named = rows.filter((row) => (isId(name) ? isSameId(row.id, name) : row.name === name));
  const locked = named.find((one) => isSameId(one.id, entry?.id));
  if (locked) return { state: 'locked', row: locked };
  const [row, ...others] = named;
  if (row && others.length > 0) {
    const ids = named.map(({ id }) => id).join(', ');
    const says = `It may be any of ${named.length} documents that are named ${inSentence(name)}: ${ids}.`;
    unclear.set(address, { says, candidate: row.id });
  }
  return row ? { state: 'alike', row } : { state: 'absent' };
}
