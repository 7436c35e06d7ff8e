import { asFailure, Failure, failureCode } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json-object.ts';
import { command, joinRemarks, remark } from '../../../lib/text/remark.ts';
import { type RefusedFile, refusedHint } from '../refused-files.ts';
import { type Attaching, checkBots } from './attach.ts';
import type { LedgerLine } from './ledger.ts';
import { documentOf, type PlannedFile, type SyncPlan } from './plan-sync.ts';
import type { UnreadFile } from './sync-files.ts';

/** More failures than these are counted, not named. */
const maxNamed = 10;

/** More hints than these help nobody. */
const maxHints = 5;

/** How a sync has ended, as far as it has come. */
export interface SyncEnd {
  readonly failed: { readonly path: string; readonly failure: Failure }[];
  /** Files whose bytes are none that can be sent, or whose name. */
  refused: number;
  /** Those of them that were looked into in this run. */
  readonly fresh: RefusedFile[];
  /** Published bots that nobody has allowed to take down. */
  readonly waiting: string[];
  /** Files whose document is as it should be. */
  done: number;
  /** Files that were not come to. */
  unbegun: number;
}

/** Returns the row of a file: what is known of it, and what came of it. */
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

/** Returns the row of a file that could not be read, or can't be sent by its name. */
export function unreadRow({ key, name, reason, failure }: UnreadFile): JsonObject {
  const unknown = { id: null, size: null, chars: null };
  const why = { reason, error: failure.message, code: failureCode(failure) };
  const outcome = reason === 'unreadable' ? 'failed' : 'refused';
  return { path: key, name, change: 'refused', outcome, ...unknown, ...why };
}

/** Returns the row of a file that is gone, whose document stays. */
export function goneRow({ path, name, id, size, chars }: LedgerLine, outcome: string): JsonObject {
  const figures = { size: size ?? null, chars: chars ?? null };
  return { path, name, change: 'removed', outcome, id, ...figures, reason: null, error: null, code: null };
}

/** Says how many files there are of each kind: `3 new, 1 changed, 996 unchanged`. */
export function planText({ files, unread, gone }: SyncPlan): string {
  const counts = new Map<string, number>();
  const add = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const { change, there } of files) add(there ? 'already there' : change);
  for (const { reason } of unread) add(reason === 'unreadable' ? reason : 'refused');
  for (const line of gone) if (line.id !== undefined && line.removed === undefined) add('removed');
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

/** Returns the failure that follows the rows, or undefined if every file is as it should be. */
export function endOfSync(
  { failed, refused, fresh, waiting, done, unbegun }: SyncEnd,
  signal: AbortSignal,
): Failure | undefined {
  const [first] = failed;
  const cause = signal.aborted
    ? (failed.find(({ failure }) => failure.isInterruption)?.failure ?? asFailure(signal.reason))
    : first?.failure;
  if (!cause && refused === 0 && waiting.length === 0) return undefined;
  const all = failed.length + refused + done + unbegun;
  const parts = [
    refused > 0 && `${refused} refused`,
    failed.length > 0 && `${failed.length} failed`,
    unbegun > 0 && `${unbegun} not come to`,
    waiting.length > 0 && `published, so not changed: ${waiting.join(', ')}`,
  ].filter((part) => part !== false);
  const lines = failed.slice(0, maxNamed).map(({ path, failure }) => `  ${path}: ${failure.message}`);
  const more = failed.length > maxNamed ? [`  and ${failed.length - maxNamed} more`] : [];
  const counts = `Of ${all} files ${done} are as they should be: ${parts.join(', ')}.`;
  const isPart = !cause?.isInterruption && (done > 0 || refused > 0 || waiting.length > 0);
  const hints = new Map(failed.map(({ failure: { hint } }) => [String(hint ?? ''), hint]));
  return new Failure(isPart || !cause ? 'partlyDone' : cause.kind, [counts, ...lines, ...more].join('\n'), {
    hint: joinRemarks([
      ...[...hints.values()].slice(0, maxHints),
      refusedHint(fresh),
      refused > 0 &&
        remark`What was refused is tried again once it has other bytes, or with --retry-refused; --exclude leaves it out. What helps, by the reason: ${command('help', 'counting')}`,
      waiting.length > 0 &&
        'A change unpublishes a bot, and the API cannot publish it again. To attach all the same add: --allow unpublish',
      (failed.length > 0 || unbegun > 0) && 'Run the same line again for the rest.',
    ]),
    ...(cause?.isInterruption && { code: cause.code }),
    next: failed.flatMap(({ failure }) => failure.next),
    ...(cause && { cause }),
  });
}

/** What a sync would do with a file, by how it is to be brought into the team. */
const wouldDo: Readonly<Record<PlannedFile['change'], string>> = {
  unchanged: 'unchanged',
  renamed: 'would rename',
  'same text': 'would note',
  new: 'would upload',
  changed: 'would upload',
  refused: 'refused',
};

/** Returns the refused files that were looked into just now, with what helps. */
export function freshlyRefused({ files, unread }: SyncPlan): RefusedFile[] {
  const counted = files.flatMap(({ file, fresh }) => (fresh ? [{ ...fresh, path: file.key }] : []));
  const unsent = unread.filter(({ reason }) => reason !== 'unreadable');
  return [...counted, ...unsent.map(({ key, reason, failure }) => ({ path: key, reason, failure }))];
}

/** What a sync would do, as rows, and the failure that follows them: `drift` where it would do something. */
export function checkSync(
  plan: SyncPlan,
  attaching: Attaching,
): {
  readonly rows: readonly JsonObject[];
  readonly failure: Failure | undefined;
} {
  const { files, unread, gone } = plan;
  const missed = gone.filter(({ id }) => id !== undefined);
  const bots = checkBots(plan, attaching);
  const rows = [
    ...files.map((one) => fileRow(one, { outcome: one.there ? 'already there' : wouldDo[one.change] })),
    ...unread.map(unreadRow),
    ...missed.map((line) => goneRow(line, 'left')),
    ...bots.rows,
  ];
  const differing =
    files.filter(({ change }) => change !== 'unchanged' && change !== 'refused').length +
    missed.filter(({ removed }) => removed === undefined).length +
    bots.differing;
  if (differing > 0) {
    const failure = new Failure(
      'drift',
      `The team differs from the folder: ${planText(plan)}${bots.differing > 0 ? `; bots: ${bots.differing}` : ''}.`,
      {
        hint: 'Sync it: the same line without --check.',
      },
    );
    return { rows, failure };
  }
  const failed = unread.filter(({ reason }) => reason === 'unreadable');
  const refused = files.filter(({ change }) => change === 'refused').length + unread.length - failed.length;
  const end: SyncEnd = {
    failed: failed.map(({ key, failure }) => ({ path: key, failure })),
    refused,
    fresh: freshlyRefused(plan),
    waiting: [],
    done: files.length - files.filter(({ change }) => change === 'refused').length,
    unbegun: 0,
  };
  return { rows, failure: endOfSync(end, new AbortController().signal) };
}
