import { Failure } from '../../lib/errors.ts';
import { runBatch } from '../../lib/run-batch.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { mayBeThere } from '../../resources/document.ts';
import { pagesIn } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { originOf } from '../../settings/base-url.ts';
import type { CountOptions } from '../count/count.ts';
import { joinFailures } from '../join-failures.ts';
import type { RefusedSource } from '../upload/refused-files.ts';
import { Ledger, ledgerPath, lockLedger } from './ledger.ts';
import type { LedgerLine } from './ledger-text.ts';
import { filesToSend, type PlannedFile } from './planned-file.ts';
import { isRetried, settleFiles } from './settle-files.ts';
import { type Choice, choiceOf, inheritedOptions, type TypedChoice } from './stored-choice.ts';
import { type FilesInput, readFolder } from './sync-files.ts';
import {
  currentLines,
  idChecker,
  type ListedDocument,
  matchFiles,
  normalizeId,
  toListedDocument,
} from './sync-plan.ts';

/** The input of a sync. */
export interface SyncInput extends TypedChoice, Pick<FilesInput, 'byPath'> {
  readonly folder: string;
  /** The ledger, if it is not the default one. */
  readonly ledger: string | undefined;
  readonly counting: CountOptions;
  /** Change nothing; another process may be syncing. */
  readonly check: boolean;
}

/** The planned changes of a sync. */
export interface SyncPlan {
  readonly teamId: string;
  readonly ledger: Ledger;
  readonly choice: Choice;
  readonly files: readonly PlannedFile[];
  readonly unread: readonly RefusedSource[];
  /** The lines of files that no longer exist. */
  readonly removed: readonly LedgerLine[];
  /** When the documents of the team were listed, in milliseconds since 1970. */
  readonly lookedAt: number;
  /** The documents of the team. */
  readonly documents: readonly ListedDocument[];
}

/**
 * Compares a folder with its ledger and with the documents of the team. Changes nothing.
 * @throws Failure as `Ledger.read`, `readFolder` and `Api.call`; `ambiguous` if several documents may be that of a file
 */
export async function planSync(
  context: ResourceContext,
  teamId: string,
  input: SyncInput,
): Promise<SyncPlan> {
  const path = ledgerPath(input.folder, input.ledger);
  // Fails early: a sync of another process would make the plan outdated.
  if (!input.check) (await lockLedger(path)).release();
  const origin = originOf(context.identity.baseUrl);
  const ledger = Ledger.read(path, input.folder, { origin, team: teamId });
  const choice = choiceOf(input, ledger.choice);
  const folder = await readFolder(context, input.folder, path, { ...choice, byPath: input.byPath });
  const inherited = inheritedOptions(input, choice);
  if (inherited !== '') context.reporter.note(`Same as in the last sync: ${inherited}`);
  const lookedAt = context.clock.now();
  const documents = await listDocuments(context, teamId);
  const unlisted = await readUnlisted(context, ledger, documents);
  const byId = new Map([...documents, ...unlisted].map((document) => [normalizeId(document.id), document]));
  const lines = currentLines(ledger.lines.values(), ledger.elsewhere, byId, ledger.sizes);
  const { matches, removed } = matchFiles(lines, folder.files, {
    isGone: folder.isGone,
    isRetried: (refused) => isRetried(refused, input.counting),
  });
  const isKnown = idChecker([...lines.values(), ...ledger.elsewhere]);
  const [settled = { files: [], unread: [], ambiguous: [] }] = await settleFiles(
    context,
    { counting: input.counting, asText: choice.asText },
    [{ matches, documents, isKnown }],
    ledger.sizes,
  );
  const ambiguous = joinFailures(
    settled.ambiguous.map(({ file, documents: alike }) => mayBeThere(file.name, alike)),
  );
  if (ambiguous) throw ambiguous;
  if (ledger.isNew)
    context.reporter.note(`No ledger at ${path} yet. The first sync creates it; commit that file.`);
  const unread = [...folder.unread, ...settled.unread];
  return { teamId, ledger, choice, files: settled.files, unread, removed, lookedAt, documents };
}

async function listDocuments(
  { api, signal }: ResourceContext,
  teamId: string,
): Promise<readonly ListedDocument[]> {
  const documents: ListedDocument[] = [];
  for await (const { rows } of pagesIn(api, 'listDocuments', { teamId, signal }))
    documents.push(...rows.map(toListedDocument));
  return documents;
}

const maxReadsAtOnce = 8;

/** A document, undefined if it does not exist, or the failure to find that out. */
type Read = ListedDocument | Failure | undefined;

/** Reads the documents of a ledger that the list of the team lacks: a list may be late to show a new document. */
async function readUnlisted(
  { api, signal, reporter }: ResourceContext,
  { lines }: Ledger,
  documents: readonly ListedDocument[],
): Promise<readonly ListedDocument[]> {
  const inList = new Set(documents.map(({ id }) => normalizeId(id)));
  const ids = [...lines.values()].flatMap(({ id }) =>
    id === undefined || inList.has(normalizeId(id)) ? [] : [id],
  );
  if (ids.length === 0) return [];
  const progress = reporter.progress("Looking up documents that are missing from the team's list");
  const read = async (id: string): Promise<Read> => {
    try {
      return toListedDocument((await api.call('getDocument', { path: { id } })).data);
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return thrown.kind === 'notFound' ? undefined : thrown;
    }
  };
  const found: ListedDocument[] = [];
  let asked = 0;
  try {
    const stopsAfter = (one: unknown) => one instanceof Failure;
    for await (const one of runBatch<string, Read>(ids, read, {
      concurrency: maxReadsAtOnce,
      signal,
      stopsAfter,
    })) {
      if (one instanceof Failure) throw one;
      if (one) found.push(one);
      asked += 1;
      progress.update(
        `Looking up documents that are missing from the team's list: ${asked} of ${ids.length}`,
      );
    }
    signal.throwIfAborted();
  } finally {
    progress.stop();
  }
  reporter.note(
    `${pluralize(ids.length, 'document')} of the ledger ${ids.length === 1 ? 'is' : 'are'} missing from the team's list. Found by id: ${found.length}.`,
  );
  return found;
}

/** Returns the documents with the name of a file to send that the ledger doesn't have. */
export function unknownNamesakes(plan: SyncPlan): readonly ListedDocument[] {
  const { ledger, documents } = plan;
  const isKnown = idChecker([...ledger.lines.values(), ...ledger.elsewhere]);
  const names = new Set(filesToSend(plan).map(({ file }) => file.name));
  return documents.filter(({ id, name }) => name !== undefined && names.has(name) && !isKnown(id));
}
