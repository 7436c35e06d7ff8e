import { Failure } from '../../lib/errors.ts';
import { textOf } from '../../lib/json-object.ts';
import { runBatch } from '../../lib/run-batch.ts';
import { mayBeThere } from '../../resources/document.ts';
import { pagesIn } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { originOf } from '../../settings/base-url.ts';
import type { CountOptions } from '../count/count.ts';
import { allOrProblems, joinFailures, unlessProblem } from '../join-failures.ts';
import { type Choice, choiceOf, type TypedChoice, takenOver } from './choice.ts';
import { Ledger, ledgerPath, lockLedger } from './ledger.ts';
import type { LedgerLine } from './ledger-text.ts';
import { filesToSend, type PlannedFile } from './planned-file.ts';
import { countingText, settleFiles } from './settle-files.ts';
import { type FilesInput, readFolder, type UnreadFile } from './sync-files.ts';
import { knownBy, type ListedDocument, liveIds, matchFiles, sameForm, withListedHeld } from './sync-plan.ts';

/** What a sync is about. */
export interface SyncInput extends TypedChoice, Pick<FilesInput, 'byPath'> {
  readonly folder: string;
  /** The ledger, where it is not the one beside the folder. */
  readonly ledger: string | undefined;
  readonly counting: CountOptions;
  /** Only look: somebody else may be syncing. */
  readonly check: boolean;
  /** Try again what was refused before. */
  readonly retryRefused: boolean;
}

/** What a sync would do; nothing is done yet. */
export interface SyncPlan {
  readonly teamId: string;
  readonly ledger: Ledger;
  readonly choice: Choice;
  readonly files: readonly PlannedFile[];
  readonly unread: readonly UnreadFile[];
  /** Those of files that are gone. */
  readonly gone: readonly LedgerLine[];
  /** When the documents of the team were looked at, in milliseconds since 1970. */
  readonly lookedAt: number;
  /** The documents of the team. */
  readonly documents: readonly ListedDocument[];
}

/**
 * Compares a folder with its ledger and with the documents of the team. Nothing is changed.
 * @param team as it is looked for
 * @throws Failure that lists every problem with team, folder, names and ledger; `ambiguous` where several
 *   documents may be that of a file; as `Api.call`
 */
export async function planSync(
  context: ResourceContext,
  team: Promise<{ readonly id: string }>,
  input: SyncInput,
): Promise<SyncPlan> {
  // Where there is none, the rest is looked at all the same; but not for a person who has left, or a key that is refused.
  const known = await unlessProblem(team);
  const { identity } = context;
  const path = ledgerPath(input.folder, input.ledger);
  const origin = originOf(identity.baseUrl);
  const opening = Promise.resolve().then(async () => {
    // Fails early: a sync of another process would make the plan outdated.
    if (!input.check) (await lockLedger(path)).release();
    return Ledger.read(path, input.folder, { origin, team: known?.id ?? '' });
  });
  const kept = await opening.then(
    (opened) => (known ? opened.choice : opened.choiceElsewhere),
    () => ({}),
  );
  const choice = choiceOf(input, kept);
  const [{ id: teamId }, folder, ledger] = await allOrProblems([
    team,
    readFolder(context, input.folder, path, { ...choice, byPath: input.byPath }),
    opening,
  ]);
  const taken = takenOver(input, choice);
  if (taken !== '') context.reporter.note(`As in the sync before: ${taken}`);
  const lookedAt = context.clock.now();
  const documents = await listDocuments(context, teamId);
  const lines = await asListed(context, ledger, documents);
  const counted = countingText(input.counting);
  const { matches, gone } = matchFiles(lines, folder.files, {
    isGone: folder.isGone,
    isRetried: (refused) => input.retryRefused || refused.counted !== counted,
  });
  const isKnown = knownBy([...lines.values(), ...ledger.elsewhere]);
  const [settled = { files: [], unread: [], ambiguous: [] }] = await settleFiles(
    context,
    { counting: input.counting, asText: choice.asText },
    [{ matches, documents, isKnown }],
    ledger.sizes,
  );
  const unclear = joinFailures(
    settled.ambiguous.map(({ file, documents: alike }) => mayBeThere(file.name, alike)),
  );
  if (unclear) throw unclear;
  if (ledger.isNew)
    context.reporter.note(`There is no ledger at ${path} yet: the first sync begins it. Commit it.`);
  const unread = [...folder.unread, ...settled.unread];
  return { teamId, ledger, choice, files: settled.files, unread, gone, lookedAt, documents };
}

async function listDocuments(
  { api, signal }: ResourceContext,
  teamId: string,
): Promise<readonly ListedDocument[]> {
  const documents: ListedDocument[] = [];
  for await (const { rows } of pagesIn(api, 'listDocuments', { teamId, signal }))
    for (const { id, name, size, chars } of rows)
      documents.push({ id, name: textOf(name)?.normalize('NFC'), size, chars });
  return documents;
}

/**
 * Returns the lines of a ledger, with the names that the documents have today, and without those that aren't there any
 * more.
 */
async function asListed(
  context: ResourceContext,
  { lines, elsewhere, sizes }: Ledger,
  documents: readonly ListedDocument[],
): Promise<ReadonlyMap<string, LedgerLine>> {
  const listed = new Map(documents.map((document) => [sameForm(document.id), document]));
  const live = new Set(liveIds([...lines.values(), ...elsewhere]).map(sameForm));
  const kept = new Map<string, LedgerLine>();
  const unlisted = [...lines.values()].filter(({ id }) => id !== undefined && !listed.has(sameForm(id)));
  for (const line of lines.values()) {
    const name = line.id === undefined ? undefined : listed.get(sameForm(line.id))?.name;
    const again = withListedHeld(line, listed, live, sizes);
    kept.set(line.path, name !== undefined && name !== line.name ? { ...again, name } : again);
  }
  for (const line of await missing(context, unlisted)) {
    const { id = '', sha256: _bytes, text: _text, ...rest } = kept.get(line.path) ?? line;
    kept.set(line.path, { ...rest, earlier: [...(line.earlier ?? []), id] });
  }
  return kept;
}

/** Documents that are asked for at the same time. */
const maxReadsAtOnce = 8;

/** The line of a document that is not there any more, why that could not be told, or nothing of one that is there. */
type Asked = LedgerLine | Failure | undefined;

/** Returns the lines whose documents are not there any more: a list may show late what was just created. */
async function missing(
  { api, signal, reporter }: ResourceContext,
  lines: readonly LedgerLine[],
): Promise<readonly LedgerLine[]> {
  if (lines.length === 0) return [];
  const progress = reporter.progress('Looking for documents that the list of the team lacks');
  const read = async (line: LedgerLine): Promise<Asked> => {
    try {
      await api.call('getDocument', { path: { id: line.id ?? '' } });
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return thrown.kind === 'notFound' ? line : thrown;
    }
  };
  const gone: LedgerLine[] = [];
  let asked = 0;
  try {
    // As many as the ledger has, at most: what nobody has looked for is not to be sent a second time.
    const options = {
      concurrency: maxReadsAtOnce,
      signal,
      endsWith: (one: unknown) => one instanceof Failure,
    };
    for await (const one of runBatch<LedgerLine, Asked>(lines, read, options)) {
      if (one instanceof Failure) throw one;
      if (one) gone.push(one);
      asked += 1;
      progress.update(`Looking for documents that the list of the team lacks: ${asked} of ${lines.length}`);
    }
    signal.throwIfAborted();
  } finally {
    progress.stop();
  }
  reporter.note(
    `The list of the team lacks ${lines.length} of the ledger's documents; looked for by id, ${gone.length} of them are not there.`,
  );
  return gone;
}

/** Returns the documents that have the name of a file which is to be sent, and are none that the ledger knows. */
export function unknownNamesakes(plan: SyncPlan): readonly ListedDocument[] {
  const { ledger, documents } = plan;
  const isKnown = knownBy([...ledger.lines.values(), ...ledger.elsewhere]);
  const names = new Set(filesToSend(plan).map(({ file }) => file.name));
  return documents.filter(({ id, name }) => name !== undefined && names.has(name) && !isKnown(id));
}
