import { join } from 'node:path';
import { type Intent, Journal } from '../../batch/journal.ts';
import { runBatch } from '../../batch/run-batch.ts';
import type { ResourceRow } from '../../client/api.ts';
import { checkFile } from '../../documents/file.ts';
import { mediaType } from '../../documents/kind.ts';
import { Failure, type FailureKind, failureCode } from '../../lib/errors.ts';
import { type JsonObject, textOf } from '../../lib/json-object.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { originOf } from '../../settings/base-url.ts';
import { fileHash } from '../../settings/files.ts';
import { createOrLookUp } from '../created-lookup.ts';
import type { ResourceContext } from '../resource-context.ts';
import {
  parseUploadIntent,
  type SendingOnce,
  sendOnce,
  settleUpload,
  take,
  type UploadIntent,
} from './send-once.ts';
import type { PlannedUpload } from './upload-plan.ts';
import { uploadProgress } from './upload-progress.ts';
import { endFailure, type UploadOutcome, wasStopped } from './upload-report.ts';
import type { UploadSource } from './upload-sources.ts';

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
    const journal = openJournal(context, teamId);
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

function alreadyThere(
  { reporter }: ResourceContext,
  { source }: Pick<PlannedUpload, 'source'>,
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

/** A file of intents for each team of a service; see `Journal`. */
function openJournal(
  { settings, identity, reporter }: ResourceContext,
  teamId: string,
): Journal<UploadIntent> {
  const place = fileHash(`${originOf(identity.baseUrl)}\n${teamId.toLowerCase()}`);
  return Journal.open({
    directory: join(settings.paths.data, 'uploads', place),
    parse: parseUploadIntent,
    onUnwritable: ({ message }) =>
      reporter.warn(`${message} If this is cut off, the next one can't tell what it has sent.`),
  });
}

/**
 * Uploads a file. Returns the document as the service answers it, or as it was found after a lost answer, also one of
 * an earlier run that was killed.
 * @throws Failure as `sendOnce`
 */
async function sendDocument(
  context: ResourceContext,
  { source, namesakes, isLookedUp }: PlannedUpload,
  teamId: string,
  once: SendingOnce,
): Promise<JsonObject> {
  const { api, clock, reporter } = context;
  const { path, name, size, chars } = source;
  const before = [...namesakes.map(({ id }) => id), ...(once.taken.get(name) ?? [])];
  const details = { teamId, name, size, chars, before };
  const earlier = isLookedUp ? await settleEarlier(context, details, once) : undefined;
  if (earlier) return alreadyThere(context, { source }, earlier);
  await checkUnchanged(source);
  const progress = reporter.progress(`Uploading ${name}`);
  const saying = uploadProgress(name, size, clock.now);
  const onSent = (bytes: number): void => progress.update(saying(bytes));
  const send = async (): Promise<JsonObject> => {
    const file = { path, name, type: mediaType(name), onSent };
    return (await api.call('createDocument', { body: { team_id: teamId, chars }, file })).data;
  };
  try {
    // Without knowing what was there before, nobody can tell which document came of it.
    const sought = {
      noun: 'document',
      name,
      teamId,
      set: { team_id: teamId, size, chars },
      before: [],
    } as const;
    const { row, wasFound } = isLookedUp
      ? await sendOnce(context, details, once, send)
      : { row: await createOrLookUp(context, sought, send), wasFound: false };
    take(once.taken, name, String(row.id));
    const called = textOf(row.name) ?? name;
    const count = `${groupedNumber(chars)} ${chars === 1 ? 'character' : 'characters'}`;
    reporter.done(wasFound ? `${called} is there: ${count}.` : `Uploaded ${called}: ${count}.`);
    if (called !== name) reporter.warn(`The service calls it ${called}, and not ${name}, as it was sent.`);
    return { ...row, outcome: 'uploaded' };
  } finally {
    progress.stop();
  }
}

/** Returns the document that an earlier run sent and never heard of, once that is known; undefined if there is none. */
async function settleEarlier(
  context: ResourceContext,
  details: UploadIntent,
  once: SendingOnce,
): Promise<ResourceRow | undefined> {
  for (const intent of leftOf(details, once.journal)) {
    const lost = new Failure(
      'outcomeUnknown',
      `It is not known whether ${details.name} was stored by an earlier run, which was cut off.`,
    );
    const found = await settleUpload(context, intent, once, lost);
    if (found) return found;
  }
  return undefined;
}

/** @throws Failure `invalidInput` if a file is not as it was when it was counted */
async function checkUnchanged({ path, typed, size }: UploadSource): Promise<void> {
  const now = await checkFile(path);
  if (now.size === size) return;
  throw new Failure('invalidInput', `${typed} has changed since its characters were counted.`, {
    hint: 'Upload it once nothing writes to it any more. Nothing of it was sent.',
  });
}

/** The intents of earlier runs to send a file. */
function leftOf(
  { name, size, chars }: Pick<UploadIntent, 'name' | 'size' | 'chars'>,
  journal: Journal<UploadIntent>,
): readonly Intent<UploadIntent>[] {
  return journal.left.filter(
    ({ details }) => details.name === name && details.size === size && details.chars === chars,
  );
}
