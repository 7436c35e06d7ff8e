import { Failure, failureCode } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { rerunHint } from '../../lib/run-batch.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import { type FailedPart, failureLines, hintsOf, interruptionOf } from '../join-failures.ts';
import { type RefusedFile, type RefusedSource, reasonsText, refusedHint } from '../upload/refused-files.ts';
import { type AttachInput, checkBots } from './attach.ts';
import type { LedgerLine } from './ledger-text.ts';
import type { SyncPlan } from './plan-sync.ts';
import { documentOf, linesAfter, type PlannedFile } from './planned-file.ts';
import { findSuperseded, type ListedDocument } from './sync-plan.ts';

/** More documents than these are counted but not named. */
const maxDocuments = 5;

/** At most this many hints are shown. */
const maxHints = 5;

/** The results of a sync so far. */
export interface SyncEnd {
  readonly failed: FailedPart[];
  /** Failures of bots, and of renaming replaced documents. */
  readonly failedBeside: FailedPart[];
  /** Files that were refused by content or by name. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
  /** Those that were checked in this run. */
  readonly fresh: readonly RefusedFile[];
  /** Published bots that must not be unpublished. */
  readonly waiting: string[];
  /** Files whose document is up to date. */
  done: number;
  /** Files that were not started. */
  unbegun: number;
  unbegunBots: number;
}

/** Returns the results before the sync starts: files that can't be sent or read are known. */
export function initialEnd(plan: SyncPlan): SyncEnd {
  const { files, unread } = plan;
  const counted = files.flatMap(({ file, fresh }) => (fresh ? [{ ...fresh, path: file.key }] : []));
  return {
    failed: unread.filter(isRetryable),
    failedBeside: [],
    refused: refusedIn(plan),
    fresh: [...counted, ...unread.filter((one) => !isRetryable(one))],
    waiting: [],
    done: 0,
    unbegun: 0,
    unbegunBots: 0,
  };
}

/** Returns whether another attempt may accept a file. */
function isRetryable({ reason }: RefusedFile): boolean {
  return reason === 'unreadable';
}

/** Returns the row of a file, with its details and its outcome. */
export function fileRow(planned: PlannedFile, what: JsonObject): JsonObject {
  const { file, change, counted, line, refused } = planned;
  const id = documentOf(planned);
  return {
    ...{ path: file.key, name: file.name, change },
    ...{ id: id ?? null, size: file.size, chars: counted?.chars ?? line?.chars ?? null },
    ...{ reason: refused?.reason ?? null, error: refused?.error ?? null },
    ...{ code: refused ? 'INVALID_INPUT' : null },
    ...what,
  };
}

/** Returns the row of a file that could not be read, or whose name can't be sent. */
export function unreadRow({ path, name, reason, failure }: RefusedSource): JsonObject {
  const unknown = { id: null, size: null, chars: null };
  const why = { reason, error: failure.message, code: failureCode(failure) };
  const outcome = reason === 'unreadable' ? 'failed' : 'refused';
  return { path, name, change: 'refused', outcome, ...unknown, ...why };
}

/** Returns the row of a removed file, whose document stays. */
export function removedRow({ path, name, id, size, chars }: LedgerLine, outcome: string): JsonObject {
  const figures = { size: size ?? null, chars: chars ?? null };
  return { path, name, change: 'removed', outcome, id, ...figures, reason: null, error: null, code: null };
}

/** Returns the number of files of each kind: `3 new, 1 changed, 996 unchanged`. */
export function planText({ files, unread, removed }: SyncPlan): string {
  const counts = new Map<string, number>();
  const add = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const { change, existing } of files) add(existing ? 'already in the team' : change);
  for (const { reason } of unread) add(reason === 'unreadable' ? reason : 'refused');
  for (const line of removed) if (line.id !== undefined && line.removed === undefined) add('removed');
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

/** Returns the failure that follows the rows, or undefined if every file is up to date. */
export function syncFailure(
  { failed: failedFiles, failedBeside, refused, fresh, waiting, done, unbegun, unbegunBots }: SyncEnd,
  signal: AbortSignal,
): Failure | undefined {
  const failed = [...failedFiles, ...failedBeside];
  const failures = failed.map(({ failure }) => failure);
  const cause = interruptionOf(failures, signal) ?? failures[0];
  if (!cause && refused.length === 0 && waiting.length === 0) return undefined;
  const all = failedFiles.length + refused.length + done + unbegun;
  const parts = [
    refused.length > 0 && `${refused.length} refused: ${reasonsText(refused)}`,
    failedFiles.length > 0 && `${failedFiles.length} failed`,
    unbegun > 0 && `${unbegun} not started`,
    failedBeside.length > 0 &&
      `${failedBeside.length} other ${failedBeside.length === 1 ? 'step' : 'steps'} failed`,
    unbegunBots > 0 && `${pluralize(unbegunBots, 'bot')} not started`,
    waiting.length > 0 && `not changed because published: ${waiting.join(', ')}`,
  ].filter((part) => part !== false);
  const state = done === 1 ? 'is in sync' : 'are in sync';
  const counts = `${done} of ${pluralize(all, 'file')} ${state}; ${parts.join(', ')}.`;
  const isPart = !cause?.isInterruption && (done > 0 || refused.length > 0 || waiting.length > 0);
  return new Failure(
    isPart || !cause ? 'partlyDone' : cause.kind,
    [counts, ...failureLines(failed)].join('\n'),
    {
      hint: joinRemarks([
        ...hintsOf(failures).slice(0, maxHints),
        refusedHint(fresh),
        refused.length > 0 &&
          remark`A refused file is tried again when its content changes; --exclude skips it. Fixes for each reason: ${command('help', 'documents')}`,
        waiting.length > 0 &&
          'A change unpublishes a bot, and the API cannot publish it again. To attach anyway, add: --allow unpublish',
        (failed.length > 0 || unbegun + unbegunBots > 0) && rerunHint(failures),
      ]),
      ...(cause?.isInterruption && { code: cause.code }),
      next: failures.flatMap(({ next }) => next),
      ...(cause && { cause }),
    },
  );
}

/** The planned outcome of each change. */
const wouldDo: Readonly<Record<PlannedFile['change'], string>> = {
  unchanged: 'unchanged',
  renamed: 'would rename',
  'same text': 'would note',
  new: 'would upload',
  changed: 'would upload',
  refused: 'refused',
};

/** Returns the documents with the name of a file that will get a new document. */
export function documentsToRetire(plan: SyncPlan): readonly ListedDocument[] {
  return findSuperseded(linesAfter(plan.ledger.lines, plan), plan.documents, plan.ledger.elsewhere);
}

/** Changes that need no upload. */
const alikeChanges: ReadonlySet<PlannedFile['change']> = new Set(['unchanged', 'same text', 'refused']);

/** Returns the files that can't be sent, with their reasons. */
export function refusedIn({ files, unread }: SyncPlan): SyncEnd['refused'] {
  return [
    ...files.flatMap(({ file, refused }) => (refused ? [{ path: file.key, reason: refused.reason }] : [])),
    ...unread.filter((one) => !isRetryable(one)),
  ];
}

/**
 * Returns the planned changes of a sync as rows, and the failure that follows them: `drift` if the team would change. An existing
 * document for a file is not a difference, even if the ledger doesn't have it.
 */
export function checkSync(
  plan: SyncPlan,
  attaching: AttachInput,
): {
  readonly rows: readonly JsonObject[];
  readonly failure: Failure | undefined;
} {
  const { files, unread, removed } = plan;
  const missed = removed.filter(({ id }) => id !== undefined);
  const bots = checkBots(plan, attaching);
  const rows = [
    ...files.map((one) => fileRow(one, { outcome: one.existing ? 'already there' : wouldDo[one.change] })),
    ...unread.map(unreadRow),
    ...missed.map((line) => removedRow(line, 'left')),
    ...bots.rows,
  ];
  const left = documentsToRetire(plan);
  const differing =
    files.filter(({ change, existing }) => !existing && !alikeChanges.has(change)).length +
    missed.filter((line) => line.removed === undefined).length;
  if (differing + bots.differing + left.length > 0) {
    const more = [
      left.length > 0 && `; old documents to rename: ${namesOf(left)}`,
      bots.differing > 0 && `; bots: ${bots.differing}`,
    ].filter((part) => part !== false);
    const failure = new Failure(
      'drift',
      `The team differs from the folder: ${planText(plan)}${more.join('')}.`,
      {
        hint: `To sync, run the same command without --check.${plan.unread.length > 0 ? ' Refused files are not sent.' : ''}`,
      },
    );
    return { rows, failure };
  }
  const done = files.filter(({ change }) => change !== 'refused').length;
  return { rows, failure: syncFailure({ ...initialEnd(plan), done }, new AbortController().signal) };
}

/** Returns the names of the first few documents, with their ids. */
export function namesOf(documents: readonly ListedDocument[]): string {
  return firstFew(
    documents.map(({ id, name }) => `${name} (${id})`),
    maxDocuments,
  );
}
