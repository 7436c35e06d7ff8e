import type { Journal } from '../../batch/journal.ts';
import { runBatch } from '../../batch/run-batch.ts';
import { Failure, type FailureKind, failureCode } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { ResourceContext } from '../resource-context.ts';
import { alreadyThere, leftOf, openUploads, sendDocument } from './send-document.ts';
import { type SendingOnce, take, type UploadIntent } from './send-once.ts';
import type { PlannedUpload } from './upload-plan.ts';
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

/** How files are uploaded. */
export interface UploadOptions {
  readonly teamId: string;
  /** Files that are sent at the same time. */
  readonly concurrency: number;
  /** As `SendingOnce`. */
  readonly settleMs: number;
  readonly retriesUnknown: boolean;
  /** Options of the line, for the line of the rest. */
  readonly lineOptions: readonly string[];
}

/**
 * Uploads files, several at a time. One that fails doesn't stop the others; a signal does, and so does what none of them
 * can get past. Gives a row for each as soon as it is done with, with what became of the file as `outcome`.
 * @throws Failure while the first row is awaited, where the file that failed is the only one
 */
export function sendDocuments(
  context: ResourceContext,
  plans: readonly PlannedUpload[],
  { teamId, concurrency, settleMs, retriesUnknown, lineOptions }: UploadOptions,
): Uploads {
  const { signal } = context;
  const outcomes: UploadOutcome[] = [];
  /** Those whose row was written: the row after it was asked for. */
  const told = new Set<UploadOutcome>();
  const taken: SendingOnce['taken'] = new Map();
  for (const { source, there } of plans) if (there) take(taken, source.name, there.id);
  const names = new Set(plans.map(({ source }) => source.name));
  /** What is sent under each name: of two of one name the second waits, or neither could tell which document is its own. */
  const underWay = new Map<string, Promise<unknown>>();
  let brokenInARow = 0;
  let isStopped = false;
  const outcomeOf = async (plan: PlannedUpload, journal: Journal<UploadIntent>): Promise<UploadOutcome> => {
    try {
      const once = { journal, settleMs, retriesUnknown, taken, names };
      if (plan.there) for (const intent of leftOf(plan.source, journal)) journal.end(intent);
      const row = plan.there
        ? alreadyThere(context, plan, plan.there)
        : await sendDocument(context, plan, teamId, once);
      const { typed: given } = plan.source;
      return { plan, row: { ...row, error: null, code: null, given }, failure: undefined };
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.kind === 'unexpected' || plans.length === 1) throw thrown;
      return { plan, row: failedRow(plan, teamId, thrown), failure: thrown };
    }
  };
  const isLast = ({ failure }: UploadOutcome): boolean => {
    const isBroken = failure !== undefined && brokenKinds.has(failure.kind);
    brokenInARow = isBroken ? brokenInARow + 1 : 0;
    const stopsAll = failure?.isInterruption || failure?.kind === 'authentication';
    return stopsAll === true || brokenInARow >= maxBrokenInARow;
  };
  const workBy =
    (journal: Journal<UploadIntent>) =>
    async (plan: PlannedUpload): Promise<UploadOutcome | undefined> => {
      const { name } = plan.source;
      const before = underWay.get(name);
      // One that only waited has not been begun.
      const running = Promise.resolve(before).then(() =>
        isStopped || signal.aborted ? undefined : outcomeOf(plan, journal),
      );
      underWay.set(
        name,
        running.catch(() => undefined),
      );
      const outcome = await running;
      if (outcome) outcomes.push(outcome);
      if (outcome && isLast(outcome)) isStopped = true;
      return outcome;
    };
  const rows = async function* (): AsyncGenerator<JsonObject> {
    const journal = openUploads(context, teamId);
    const work = workBy(journal);
    try {
      const endsWith = (): boolean => isStopped;
      for await (const outcome of runBatch(plans, work, { concurrency, signal, endsWith })) {
        if (!outcome) continue;
        let isTaken = false;
        try {
          // Nothing was done to it, as to those that were not begun.
          if (!wasStopped(outcome)) yield outcome.row;
          isTaken = true;
        } finally {
          // Nobody takes the next one: what only waits for one of its name isn't begun while the others end.
          isStopped ||= !isTaken;
        }
        told.add(outcome);
      }
    } finally {
      journal.close();
    }
  };
  const ended = { plans, outcomes, told, signal, options: lineOptions };
  return { rows: rows(), failure: () => endFailure(ended) };
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
