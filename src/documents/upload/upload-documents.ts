import { Failure, failureCode } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { CircuitBreaker, runBatch } from '../../lib/run-batch.ts';
import type { CommandLine } from '../../lib/text/remark.ts';
import type { IntentLog } from '../../once/intent-log.ts';
import { settleMs } from '../../once/settle.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { hasChanged } from '../local-file.ts';
import type { RefusedSource } from './refused-files.ts';
import {
  alreadyUploaded,
  openUploads,
  type SentDocument,
  sendDocument,
  unfinishedUploads,
} from './send-document.ts';
import type { ShownSizes } from './shown-size.ts';
import { placesOf, type SendOptions, sortForSending, type UploadIntent } from './upload-intent.ts';
import { newUploads, type PlannedUpload } from './upload-plan.ts';
import { endFailure, isStopped, refusedRow, type UploadOutcome } from './upload-report.ts';
import type { UploadSource } from './upload-sources.ts';

/** A running upload: its rows as they come, and the failure that follows the last one. */
export interface Uploads {
  readonly rows: AsyncIterable<JsonObject>;
  /** Undefined if every document is stored. Call it after the last row. */
  failure(): Failure | undefined;
}

/** Options for uploading files. */
export interface UploadOptions extends SendOptions {
  readonly teamId: string;
  /** The files that can't be sent, which have a row too. */
  readonly refused: readonly RefusedSource[];
  /** True for a single file: its failure is thrown. */
  readonly isOne: boolean;
  readonly lookedAt: number;
  readonly sizes: ShownSizes;
  /** Use the document with the same name, regardless of its content. */
  readonly ifAbsent: boolean;
  /** Returns the command for the remaining files. */
  lineFor(left: readonly PlannedUpload[]): CommandLine;
}

/**
 * Uploads files, several at a time. A failure doesn't stop the others, unless it affects all of them; a signal stops the run.
 * Yields a row for each as soon as it is done, with its `outcome`.
 * @throws Failure for the first row, if the failed file is the only one
 */
export function sendDocuments(
  context: ResourceContext,
  plans: readonly PlannedUpload[],
  options: UploadOptions,
): Uploads {
  const { teamId, refused, isOne, concurrency, ifAbsent, outputClosed, lineFor } = options;
  const { signal } = context;
  const working = { ...context, signal: AbortSignal.any([signal, outputClosed]) };
  const outcomes: UploadOutcome[] = [];
  /** Those whose row was written: the next row was requested. */
  const reported = new Set<UploadOutcome>();
  const names = new Set(plans.map(({ source }) => source.name));
  const breaker = new CircuitBreaker();
  const place = placesOf(newUploads(plans).length);
  const deadline = context.clock.now() + settleMs;
  /** The documents for files of this run. */
  const known = new Set(plans.flatMap(({ existing }) => existing?.id ?? []));
  const send = async (plan: PlannedUpload, log: IntentLog<UploadIntent>): Promise<JsonObject> => {
    const once = { ...options, log, deadline, names, known: () => (id: string) => known.has(id) };
    if (plan.existing) for (const intent of unfinishedUploads(plan.source, teamId, log)) log.end(intent);
    const { row, intent }: SentDocument = plan.existing
      ? { row: alreadyUploaded(context, plan, plan.existing, once, isOne ? noteOf(plan, ifAbsent) : '') }
      : await sendDocument(working, { ...plan, place: place() }, teamId, once);
    if (intent) log.end(intent);
    known.add(String(row.id));
    if (row.outcome === 'uploaded' && hasChanged(plan.source)) warnOfChange(context, plan.source);
    return { ...row, error: null, code: null, given: plan.source.typed };
  };
  const outcomeOf = async (plan: PlannedUpload, log: IntentLog<UploadIntent>): Promise<UploadOutcome> => {
    let outcome: UploadOutcome;
    try {
      outcome = { plan, row: await send(plan, log), failure: undefined };
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.kind === 'unexpected' || isOne) throw thrown;
      outcome = { plan, row: failedRow(plan, teamId, thrown), failure: thrown };
    }
    outcomes.push(outcome);
    breaker.record(outcome.failure);
    return outcome;
  };
  const rows = async function* (): AsyncGenerator<JsonObject> {
    for (const one of refused) yield refusedRow(one, teamId);
    const log = openUploads(context, teamId);
    try {
      const ordered = sortForSending(plans, log, ({ source }) => source.name);
      const batch = { concurrency, signal: working.signal, stopsAfter: () => breaker.isOpen };
      for await (const outcome of runBatch(ordered, (plan) => outcomeOf(plan, log), batch)) {
        // Nothing was sent, as for the files that were not started.
        if (!isStopped(outcome)) yield outcome.row;
        reported.add(outcome);
      }
    } finally {
      log.close();
    }
  };
  const ended = { plans, refused, outcomes, reported, signal, lineFor };
  return { rows: rows(), failure: () => endFailure(ended) };
}

/** Returns the message for a document that was found by its name, or by its figures, which do not prove its content. */
function noteOf({ source: { name }, existing }: PlannedUpload, ifAbsent: boolean): string | undefined {
  if (ifAbsent) return undefined;
  const its =
    existing?.name === name ? 'the same name,' : `the name ${JSON.stringify(existing?.name)} and the same`;
  return (
    `The team already has ${name}: a document of ${its} size and number of characters. Nothing was sent. ` +
    "The API doesn't show the text, so it may differ. To send it anyway, add --allow duplicate."
  );
}

function warnOfChange({ reporter }: ResourceContext, { typed, name }: UploadSource): void {
  reporter.warn(
    `${typed} changed during the upload, so the content of ${name} is uncertain. Upload it again when the file no longer changes.`,
  );
}

function failedRow({ source }: PlannedUpload, teamId: string, failure: Failure): JsonObject {
  const { typed, name, size, chars } = source;
  return {
    ...{ name, size, chars, team_id: teamId },
    outcome: failure.isUncertain ? 'unknown' : 'failed',
    error: failure.message,
    code: failureCode(failure),
    given: typed,
  };
}
