import type { ResourceRow } from '../client/api.ts';
import { compareFound } from '../documents/sync/earlier-uploads.ts';
import type { LedgerLine } from '../documents/sync/ledger-text.ts';
import { linesAfter, type PlannedFile } from '../documents/sync/planned-file.ts';
import { type AmbiguousFile, isRetried, settleFiles } from '../documents/sync/settle-files.ts';
import {
  currentLines,
  findSuperseded,
  idChecker,
  type ListedDocument,
  type Matches,
  matchFiles,
  normalizeId,
  toListedDocument,
} from '../documents/sync/sync-plan.ts';
import { ShownSizes } from '../documents/upload/shown-size.ts';
import type { UploadIntent } from '../documents/upload/upload-intent.ts';
import { isId, isSameId } from '../lib/ids.ts';
import { groupBy } from '../lib/iterables.ts';
import { inSentence } from '../lib/text/sentence.ts';
import type { Intent } from '../once/intent-log.ts';
import type { ResourceContext } from '../resources/resource-context.ts';
import type { DeclaredDocument, DeclaredTenant } from './declared-documents.ts';
import type { Address } from './desired.ts';
import { keyOf } from './kinds/key-changed.ts';
import type { UndeclaredEntries } from './kinds/kind.ts';
import { type Ambiguity, ambiguity, type FileState, type Found } from './live-state.ts';
import { forEachConcurrently, readRow } from './read-rows.ts';
import { documentAt, documentsIn, type State } from './state-file.ts';

/** The documents that the files declare, with their matches in the service and the state file. */
export interface LiveDocuments {
  readonly found: ReadonlyMap<Address, Found>;
  readonly files: ReadonlyMap<Address, FileState>;
  /** Addresses that match several documents. */
  readonly ambiguous: ReadonlyMap<Address, Ambiguity>;
}

/** A tenant with the documents of its team; none if there is no team yet. */
export interface TenantRows {
  readonly tenant: DeclaredTenant;
  readonly rows: readonly ResourceRow[];
}

type DocumentContext = Pick<ResourceContext, 'api' | 'signal' | 'reporter'>;

/** Returns the unfinished uploads of earlier runs to a team. */
export type UnfinishedUploads = (teamId: string) => readonly Intent<UploadIntent>[];

/** The state that files are compared with. */
interface CompareContext {
  readonly state: State;
  /** Entries of the state file at keys that the files don't declare. */
  readonly undeclared: UndeclaredEntries;
  readonly unfinishedUploads: UnfinishedUploads;
}

/** The files of a tenant, matched with the state file as the ledger. */
interface MatchedFiles extends TenantRows, Matches {
  readonly lines: ReadonlyMap<Address, LedgerLine>;
  /** The lines of the tenant's other documents. */
  readonly elsewhere: readonly LedgerLine[];
  /** The documents of the team by `normalizeId` of their ids, including those of the state file that its list lacks. */
  readonly byId: ReadonlyMap<string, ResourceRow>;
}

/**
 * Finds the documents that files declare, and plans each file as `docs sync` does. Counts files whose bytes are not in the state
 * file; changes nothing.
 * @throws Failure as `Api.call`, and the signal's reason
 */
export async function findDocuments(
  context: DocumentContext,
  { state, undeclared, unfinishedUploads }: CompareContext,
  teams: readonly TenantRows[],
): Promise<LiveDocuments> {
  const sizes = new ShownSizes();
  const compared: MatchedFiles[] = [];
  for (const team of teams) {
    const one = await compare(context, team, {
      known: documentsIn(state, team.tenant.key),
      left: undeclared,
      sizes,
    });
    for (const { kind, file, line } of one.matches) {
      const row = kind === 'unchanged' ? rowOf(one, line.id) : undefined;
      if (row) sizes.learn(line?.size ?? file.size, row.size);
    }
    compared.push(one);
  }
  const settled = await settleFiles(
    context,
    { counting: { signal: context.signal }, asText: [] },
    compared.map(({ matches, rows, lines, elsewhere }) => ({
      matches,
      documents: rows.map(toListedDocument),
      isKnown: idChecker([...lines.values(), ...elsewhere]),
    })),
    sizes,
  );
  const found = new Map<Address, Found>();
  const files = new Map<Address, FileState>();
  const ambiguous = new Map<Address, Ambiguity>();
  for (const [at, one] of compared.entries()) {
    const { ambiguous: unsure, unread, files: all } = settled[at] ?? { files: [], unread: [], ambiguous: [] };
    for (const file of unsure) ambiguous.set(file.file.key, ambiguityOf(file));
    const teamId = state.entries.get(one.tenant.address)?.id;
    const { files: known } = compareFound(all, teamId === undefined ? [] : unfinishedUploads(teamId));
    const planned = new Map(known.map((file) => [file.file.key, file]));
    const failed = new Map(unread.map(({ path, failure }) => [path, failure.message]));
    for (const document of one.tenant.documents) {
      const { address, file } = document;
      const line = documentAt(state, address);
      if (!file) found.set(address, attachedDocument(document, one.rows, line, ambiguous));
      else found.set(address, foundOf(one, planned.get(address), line));
    }
    const before = supersededDocuments(one, known, found);
    for (const { address } of one.tenant.documents)
      files.set(address, {
        planned: planned.get(address),
        unread: failed.get(address),
        before: before.get(address) ?? [],
      });
  }
  return { found, files, ambiguous };
}

/** Matches the files of a tenant with its lines of the state file. */
async function compare(
  context: DocumentContext,
  { tenant, rows }: TenantRows,
  { known, left, sizes }: { known: readonly LedgerLine[]; left: UndeclaredEntries; sizes: ShownSizes },
): Promise<MatchedFiles> {
  const undeclared = new Set((left.get(`${tenant.address}/documents`) ?? []).map(({ address }) => address));
  const attached = new Set(tenant.documents.flatMap(({ address, file }) => (file ? [] : [address])));
  const isOther = ({ path }: LedgerLine): boolean => undeclared.has(keyOf(path)) || attached.has(path);
  const elsewhere = known.filter(isOther);
  const own = known.filter((line) => !isOther(line));
  const byId = new Map(rows.map((row) => [normalizeId(row.id), row]));
  const unlisted = own.flatMap(({ id }) => (id === undefined || byId.has(normalizeId(id)) ? [] : [id]));
  // A list may be late to show a new document.
  await forEachConcurrently(context, unlisted, async (id) => {
    const row = await readRow(context, 'getDocument', id);
    if (row) byId.set(normalizeId(id), row);
  });
  const documents = new Map([...byId].map(([id, row]) => [id, toListedDocument(row)]));
  const lines = currentLines(own, elsewhere, documents, sizes);
  const files = tenant.documents.flatMap(({ address, name, file }) =>
    file && file.problem === undefined ? [{ ...file, key: address, name }] : [],
  );
  const declared = new Set(tenant.documents.map(({ address }) => address));
  const matches = matchFiles(lines, files, {
    isGone: (address) => !declared.has(address),
    isRetried: (refused) => isRetried(refused, {}),
  });
  return { tenant, rows, lines, elsewhere, byId, ...matches };
}

function rowOf({ byId }: MatchedFiles, id: string | undefined): ResourceRow | undefined {
  return id === undefined ? undefined : byId.get(normalizeId(id));
}

function ambiguityOf({ file: { name }, documents }: AmbiguousFile): Ambiguity {
  if (documents.length > 1)
    return ambiguity('document', name, documents, ' and match in size and characters');
  const candidate = documents[0]?.id ?? '';
  const says = `It may be document ${inSentence(name)} (${candidate}): the service does not show its characters, or the unit of its size is unknown.`;
  return { says, candidate };
}

/** Returns the document of a file in the service. */
function foundOf(one: MatchedFiles, planned: PlannedFile | undefined, line: LedgerLine | undefined): Found {
  const there = rowOf(one, planned?.existing?.id);
  if (there) return { state: isSameId(there.id, line?.id) ? 'locked' : 'alike', row: there };
  const row = rowOf(one, planned ? planned.line?.id : line?.id);
  if (row) return { state: 'locked', row };
  if (line?.id === undefined || rowOf(one, line.id)) return { state: 'absent' };
  return { state: 'gone' };
}

/** Returns the former documents of files that have the name of a current one, by their addresses. */
function supersededDocuments(
  { tenant, rows, lines, removed, elsewhere }: MatchedFiles,
  files: readonly PlannedFile[],
  found: ReadonlyMap<Address, Found>,
): ReadonlyMap<Address, readonly ListedDocument[]> {
  const after = linesAfter(lines, { files, removed });
  const addresses = new Map(
    after.flatMap(({ path, earlier = [] }) => earlier.map((id) => [normalizeId(id), path] as const)),
  );
  if (addresses.size === 0) return new Map();
  const attached = tenant.documents.flatMap(({ address, name, file }): readonly LedgerLine[] => {
    const row = file ? undefined : found.get(address)?.row;
    return row ? [{ path: address, id: row.id, name }] : [];
  });
  const behind = findSuperseded(after, rows.map(toListedDocument), [...elsewhere, ...attached]);
  return groupBy(behind, ({ id }) => addresses.get(normalizeId(id)) ?? '');
}

/** Returns a document that is only attached. */
function attachedDocument(
  { address, name }: DeclaredDocument,
  rows: readonly ResourceRow[],
  line: LedgerLine | undefined,
  ambiguous: Map<Address, Ambiguity>,
): Found {
  // The files identify it; the state file distinguishes it from others of its name.
  const named = rows.filter((row) => (isId(name) ? isSameId(row.id, name) : row.name === name));
  const locked = named.find((one) => isSameId(one.id, line?.id));
  if (locked) return { state: 'locked', row: locked };
  const [row, ...others] = named;
  if (others.length > 0) ambiguous.set(address, ambiguity('document', name, named));
  return row ? { state: 'alike', row } : { state: 'absent' };
}
