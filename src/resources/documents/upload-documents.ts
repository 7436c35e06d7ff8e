import { mediaType } from '../../documents/kind.ts';
import { Failure } from '../../lib/errors.ts';
import { type JsonObject, textOf } from '../../lib/json-object.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { createOrLookUp } from '../created-lookup.ts';
import type { ResourceContext } from '../resource-context.ts';
import type { PlannedUpload } from './upload-plan.ts';
import { uploadProgress } from './upload-progress.ts';

/** A run of uploads: its rows as they come, and the failure that follows the last one. */
export interface Uploads {
  readonly rows: AsyncIterable<JsonObject>;
  /** Undefined if everything is there. To be asked once the last row came. */
  failure(): Failure | undefined;
}

/**
 * Uploads files one after the other, up to the first that fails. Gives each document once it is stored, with what
 * became of the file as `outcome`.
 * @param team as it was typed
 * @throws Failure while the first row is awaited, where not even that file can be uploaded, and the signal's reason
 */
export function sendDocuments(
  context: ResourceContext,
  plans: readonly PlannedUpload[],
  teamId: string,
  team: string,
): Uploads {
  let failure: Failure | undefined;
  const rows = async function* (): AsyncGenerator<JsonObject> {
    for (const [index, plan] of plans.entries()) {
      try {
        yield plan.there
          ? alreadyThere(context, plan, plan.there)
          : await sendDocument(context, plan, teamId);
      } catch (thrown) {
        if (!(thrown instanceof Failure) || (index === 0 && (!thrown.isInterruption || plans.length === 1)))
          throw thrown;
        failure = partlyDone(thrown, plans, index, team);
        return;
      }
    }
  };
  return { rows: rows(), failure: () => failure };
}

function partlyDone(failure: Failure, plans: readonly PlannedUpload[], index: number, team: string): Failure {
  const { kind, message, hint, details } = failure;
  const sources = plans.map(({ source }) => source);
  // One whose answer was lost may be there: whether it has to be sent again is for its own hint to say.
  const left = sources.slice(failure.isUncertain ? index + 1 : index).map(({ typed }) => typed);
  const rest = remark`The rest: ${command('docs', 'upload', ...left, '--team', team)}`;
  const there = plans.slice(0, index).filter((plan) => plan.there).length;
  const known = there === 0 ? '' : `, and found ${there} there already`;
  const waiting = sources.slice(index + 1).map(({ name }) => name);
  const unsent = waiting.length === 0 ? '' : ` Not sent: ${waiting.join(', ')}.`;
  return new Failure(
    failure.isInterruption ? kind : 'partlyDone',
    `Uploaded ${index - there} of ${sources.length} files${known}. ${sources[index]?.name} failed: ${message}${unsent}`,
    {
      hint: joinRemarks([hint, left.length > 0 && rest]),
      code: failure.isInterruption ? failure.code : undefined,
      details,
      cause: failure,
    },
  );
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
