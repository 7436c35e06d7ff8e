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
 * Uploads files one after the other, up to the first that fails, or a signal. Gives each document once it is stored, with
 * what became of the file as `outcome`.
 * @param options of the line, for the line of the rest
 * @throws Failure while the first row is awaited, where that file was certainly not uploaded, or is the only one
 */
export function sendDocuments(
  context: ResourceContext,
  plans: readonly PlannedUpload[],
  teamId: string,
  options: readonly string[],
): Uploads {
  const { signal } = context;
  let given = 0;
  // Nobody takes the next row once one can't be written.
  let failure: Failure | undefined = cutShort(unwritten(), plans, given, options);
  const rows = async function* (): AsyncGenerator<JsonObject> {
    for (const plan of plans) {
      try {
        if (given > 0) signal.throwIfAborted();
        const row = plan.there
          ? alreadyThere(context, plan, plan.there)
          : await sendDocument(context, plan, teamId);
        given += 1;
        failure = cutShort(unwritten(row), plans, given, options);
        yield row;
      } catch (thrown) {
        if (!(thrown instanceof Failure) || plans.length === 1) throw thrown;
        // Nothing was done, unless nobody knows.
        if (given === 0 && !thrown.isInterruption && !thrown.isUncertain) throw thrown;
        failure = cutShort(thrown, plans, given, options);
        return;
      }
    }
    failure = undefined;
  };
  return { rows: rows(), failure: () => failure };
}

function unwritten(last?: JsonObject): Failure {
  const told = last ? ` any more; the last document is ${last.name} (${last.id})` : '';
  return new Failure('outputFailed', `The output can't be written${told}.`);
}

/**
 * Returns the failure of a run that ended early, with the line of the rest.
 * @param done files that are there
 */
function cutShort(
  failure: Failure,
  plans: readonly PlannedUpload[],
  done: number,
  options: readonly string[],
): Failure {
  const { kind, message, next, details } = failure;
  const wasTried = !failure.isInterruption && kind !== 'outputFailed';
  const isInDoubt = failure.isUncertain;
  const sources = plans.map(({ source }) => source);
  // One whose answer was lost may be there: whether it has to be sent again is for its own hint to say.
  const left = sources.slice(isInDoubt ? done + 1 : done);
  const unsent = wasTried ? left.slice(isInDoubt ? 0 : 1) : left;
  const there = plans.slice(0, done).filter((plan) => plan.there).length;
  const name = sources[done]?.name;
  const said = isInDoubt ? `${name}: ${message}` : wasTried ? `${name} failed: ${message}` : message;
  const words = [
    `Uploaded ${done - there} of ${plans.length} files${there === 0 ? '' : `, and found ${there} there already`}.`,
    said,
    unsent.length > 0 && `Not sent: ${unsent.map(({ name }) => name).join(', ')}.`,
  ];
  const rest = command('docs', 'upload', ...left.map(({ typed }) => typed), ...options);
  return new Failure(wasTried && done > 0 ? 'partlyDone' : kind, words.filter(Boolean).join(' '), {
    hint: joinRemarks([failure.hint, left.length > 0 && remark`The rest: ${rest}`]),
    ...(failure.isInterruption && { code: failure.code }),
    next,
    details,
    cause: failure,
  });
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
