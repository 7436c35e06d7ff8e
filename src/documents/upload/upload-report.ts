import { Failure, failureCode } from '../../lib/errors.ts';
import { groupBy } from '../../lib/iterables.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { type CommandLine, joinRemarks, type Remark, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import { failureLines, interruptionOf } from '../join-failures.ts';
import { kindByName } from '../kind.ts';
import { type RefusedFile, type RefusedSource, reasonsText, refusedHint } from './refused-files.ts';
import type { PlannedUpload } from './upload-plan.ts';

/** More than these are counted but not named. */
const maxNamed = 10;

/** The result for a file. */
export interface UploadOutcome {
  readonly plan: PlannedUpload;
  readonly row: JsonObject;
  /** Undefined if its document is stored. */
  readonly failure: Failure | undefined;
}

/** Returns whether a signal aborted an upload before it could take effect. */
export function isStopped({ failure }: UploadOutcome): boolean {
  return failure?.isInterruption === true && !failure.isUncertain;
}

/** Returns the row of a refused file. */
export function refusedRow({ path, name, reason, failure }: RefusedSource, teamId: string): JsonObject {
  return {
    ...{ name, team_id: teamId, outcome: 'refused', reason },
    ...{ error: failure.message, code: failureCode(failure), given: path },
  };
}

/** Yields a row with the planned action for each file. */
export function* plannedRows(
  plans: readonly PlannedUpload[],
  refused: readonly RefusedSource[],
  teamId: string,
): Generator<JsonObject> {
  for (const one of refused) yield refusedRow(one, teamId);
  for (const { source, existing } of plans) {
    const { typed: given, name, size, chars } = source;
    const row = existing ?? { name, type: kindByName(name), size, chars, team_id: teamId };
    yield { ...row, outcome: existing ? 'already there' : 'would upload', error: null, code: null, given };
  }
}

/** How a run of uploads ended. */
export interface UploadResults {
  readonly plans: readonly PlannedUpload[];
  readonly refused: readonly RefusedFile[];
  /** In the order in which they finished. */
  readonly outcomes: readonly UploadOutcome[];
  /** Those whose row was written. */
  readonly reported: ReadonlySet<UploadOutcome>;
  readonly signal: AbortSignal;
  /** Returns the command for the remaining files. */
  lineFor(left: readonly PlannedUpload[]): CommandLine;
}

/** A file whose upload failed, and the failure. */
interface FailedUpload {
  readonly plan: PlannedUpload;
  readonly failure: Failure;
}

/**
 * Returns the failure that follows the rows of a run of uploads, with the command for the remaining files, or undefined if every
 * document is stored and reported. Its kind is that of a signal, `outputFailed`, `partlyDone` if some are stored, or that of
 * the first failure.
 */
export function endFailure(ended: UploadResults): Failure | undefined {
  const { plans, refused, outcomes, reported, signal } = ended;
  const tried = outcomes.filter((outcome) => !isStopped(outcome));
  const failed = tried.flatMap(({ plan, failure }): readonly FailedUpload[] =>
    failure ? [{ plan, failure }] : [],
  );
  const done = tried.filter(({ failure }) => !failure);
  const begun = new Set(tried.map(({ plan }) => plan));
  const unsent = plans.filter((plan) => !begun.has(plan));
  const untold = done.filter((outcome) => !reported.has(outcome));
  const failures = failed.map(({ failure }) => failure);
  const cause =
    interruptionOf(failures, signal) ??
    (untold.length > 0
      ? new Failure('outputFailed', `The output can't be written any more. ${documents(untold)}.`)
      : (failures[0] ?? refused[0]?.failure));
  if (!cause) return undefined;
  const endsAll = cause.isInterruption || cause.kind === 'outputFailed';
  const there = done.filter(({ row }) => row.outcome === 'already there').length;
  const words = [
    `Uploaded ${done.length - there} of ${plans.length + refused.length} files${there === 0 ? '' : `; the team already had ${there}`}.`,
    endsAll && !failures.includes(cause) && cause.message,
    failed.length > 0 && failureWords(failed),
    refused.length > 0 && `Refused ${refused.length}: ${reasonsText(refused)}.`,
    unsent.length > 0 && `Not sent: ${names(unsent)}.`,
  ];
  return new Failure(
    done.length > 0 && !endsAll ? 'partlyDone' : cause.kind,
    words.filter(Boolean).join(failed.length > 1 ? '\n' : ' '),
    {
      hint: joinRemarks([
        failed.length === 1 ? failures[0]?.hint : undefined,
        refusedHint(refused),
        restRemark(ended, failed, unsent),
      ]),
      ...(cause.isInterruption && { code: cause.code }),
      next: failures.flatMap(({ next }) => next),
      details: detailsOf(failures),
      cause,
    },
  );
}

function documents(untold: readonly UploadOutcome[]): string {
  const shown = firstFew(
    untold.map(({ row }) => `${row.name} (${row.id})`),
    maxNamed,
  );
  return `Not printed: ${shown}`;
}

function names(plans: readonly PlannedUpload[]): string {
  return firstFew(
    plans.map(({ source }) => source.name),
    maxNamed,
  );
}

/** A single failure continues the sentence; several have a line each. */
function failureWords(failed: readonly FailedUpload[]): string {
  const parts = failed.map(({ plan, failure }) => {
    const { name } = plan.source;
    return { path: failure.isUncertain ? name : `${name} failed`, failure };
  });
  const text = failureLines(parts).join('\n');
  return parts.length === 1 ? text.trim() : text;
}

/** The failed files and those not sent. A file with an unknown outcome is omitted: it has its own hint. */
function restRemark(
  { plans, lineFor }: UploadResults,
  failed: readonly FailedUpload[],
  unsent: readonly PlannedUpload[],
): Remark | undefined {
  const again = failed.filter(({ failure }) => !failure.isUncertain).map(({ plan }) => plan);
  const toSend = new Set([...again, ...unsent]);
  const left = plans.filter((plan) => toSend.has(plan));
  return left.length === 0 ? undefined : remark`Upload the rest: ${lineFor(left)}`;
}

/** The details of all failures: calls in flight, and objects that may have been created. */
function detailsOf(failures: readonly Failure[]): JsonObject | undefined {
  const all = failures.flatMap(({ details }) => (isObject(details) ? Object.entries(details) : []));
  const merged = [...groupBy(all, ([name]) => name)].map(([name, members]) => {
    const values = members.map(([, value]) => value);
    return [name, values.every(Array.isArray) ? values.flat() : values[0]];
  });
  return merged.length > 0 ? Object.fromEntries(merged) : undefined;
}
