import { runBatch } from '../../batch/run-batch.ts';
import { mediaType } from '../../documents/kind.ts';
import { Failure, type FailureKind, failureCode } from '../../lib/errors.ts';
import { type JsonObject, textOf } from '../../lib/json-object.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { createOrLookUp } from '../created-lookup.ts';
import type { ResourceContext } from '../resource-context.ts';
import type { PlannedUpload } from './upload-plan.ts';
import { uploadProgress } from './upload-progress.ts';
import { endFailure, type UploadOutcome, wasStopped } from './upload-report.ts';

/** A run of uploads: its rows as they come, and the failure that follows the last one. */
export interface Uploads {
  readonly rows: AsyncIterable<JsonObject>;
  /** Undefined if everything is there. To be asked once the last row came. */
  failure(): Failure | undefined;
}

/** What says of the service, not of a file, that it doesn't work. */
const brokenKinds: ReadonlySet<FailureKind> = new Set(['network', 'rateLimited', 'outcomeUnknown']);

/** After so many in a row that failed by that, the others would as well. */
const maxBrokenInARow = 3;

/**
 * Uploads files, several at a time. One that fails doesn't stop the others; a signal does, and so does what none of them
 * can get past. Gives a row for each as soon as it is done with, with what became of the file as `outcome`.
 * @param concurrency files that are sent at the same time
 * @param options of the line, for the line of the rest
 * @throws Failure while the first row is awaited, where the file that failed is the only one
 */
export function sendDocuments(
  context: ResourceContext,
  plans: readonly PlannedUpload[],
  teamId: string,
  concurrency: number,
  options: readonly string[],
): Uploads {
  const { signal } = context;
  const outcomes: UploadOutcome[] = [];
  /** Those whose row was written: the row after it was asked for. */
  const told = new Set<UploadOutcome>();
  let brokenInARow = 0;
  const outcomeOf = async (plan: PlannedUpload): Promise<UploadOutcome> => {
    try {
      const row = plan.there
        ? alreadyThere(context, plan, plan.there)
        : await sendDocument(context, plan, teamId);
      const { typed: given } = plan.source;
      return { plan, row: { ...row, error: null, code: null, given }, failure: undefined };
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.kind === 'unexpected' || plans.length === 1) throw thrown;
      return { plan, row: failedRow(plan, teamId, thrown), failure: thrown };
    }
  };
  const work = async (plan: PlannedUpload): Promise<UploadOutcome> => {
    const outcome = await outcomeOf(plan);
    outcomes.push(outcome);
    return outcome;
  };
  const endsWith = ({ failure }: UploadOutcome): boolean => {
    const isBroken = failure !== undefined && brokenKinds.has(failure.kind);
    brokenInARow = isBroken ? brokenInARow + 1 : 0;
    const stopsAll = failure?.isInterruption || failure?.kind === 'authentication';
    return stopsAll === true || brokenInARow >= maxBrokenInARow;
  };
  const rows = async function* (): AsyncGenerator<JsonObject> {
    for await (const outcome of runBatch(plans, work, { concurrency, signal, endsWith })) {
      // Nothing was done to it, as to those that were not begun.
      if (!wasStopped(outcome)) yield outcome.row;
      told.add(outcome);
    }
  };
  return { rows: rows(), failure: () => endFailure({ plans, outcomes, told, signal, options }) };
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
function alreadyThere(
  { reporter }: ResourceContext,
  { source }: PlannedUpload,
  there: JsonObject,
): JsonObject {
  const { name, size, chars } = source;
  const differs = (member: 'size' | 'chars', here: number): boolean =>
    there[member] !== undefined && there[member] !== null && Number(there[member]) !== here;
  if (differs('size', size) || differs('chars', chars)) {
    reporter.warn(
      `${name} is there already, and is another one: ${sizeOf(there)} there, ${sizeOf({ size, chars })} here. Nothing was sent.`,
    );
  } else {
    reporter.note(`${name} is there already; nothing was sent.`);
  }
  return { ...there, outcome: 'already there' };
}

function sizeOf({ size, chars }: JsonObject): string {
  return `${groupedNumber(Number(size))} bytes and ${groupedNumber(Number(chars))} characters`;
}

/**
 * Uploads a file. Returns the document as the service answers it.
 * @throws Failure as `Api.call`
 */
async function sendDocument(
  context: ResourceContext,
  { source, namesakes: before }: PlannedUpload,
  teamId: string,
): Promise<JsonObject> {
  const { api, clock, reporter } = context;
  const { path, name, size, chars } = source;
  const progress = reporter.progress(`Uploading ${name}`);
  const saying = uploadProgress(name, size, clock.now);
  const onSent = (bytes: number): void => progress.update(saying(bytes));
  try {
    const call = {
      body: { team_id: teamId, chars },
      file: { path, name, type: mediaType(name), onSent },
    };
    const sought = { noun: 'document', name, teamId, set: { team_id: teamId, size, chars }, before } as const;
    const { data } = await createOrLookUp(context, sought, () => api.call('createDocument', call));
    const called = textOf(data.name) ?? name;
    reporter.done(`Uploaded ${called}: ${groupedNumber(chars)} ${chars === 1 ? 'character' : 'characters'}.`);
    if (called !== name) reporter.warn(`The service calls it ${called}, and not ${name}, as it was sent.`);
    return { ...data, outcome: 'uploaded' };
  } finally {
    progress.stop();
  }
}
