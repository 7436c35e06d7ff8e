import { mediaType } from '../../documents/kind.ts';
import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { createOrLookUp } from '../created-lookup.ts';
import { belongs } from '../resolve.ts';
import type { ResourceContext } from '../resource-context.ts';
import { uploadProgress } from './upload-progress.ts';
import type { UploadSource } from './upload-sources.ts';

/** The outcome of sending several files. */
export interface Sent {
  readonly rows: readonly JsonObject[];
  /** The failure that follows them: one could not be uploaded, and the rest was not sent. */
  readonly failure: Failure | undefined;
}

/**
 * Uploads files one after the other, up to the first that fails. Returns the documents, and the failure of that one.
 * @param team as it was typed
 * @throws Failure where not even the first can be uploaded, and the signal's reason
 */
export async function sendDocuments(
  context: ResourceContext,
  sources: readonly UploadSource[],
  teamId: string,
  team: string,
): Promise<Sent> {
  const rows: JsonObject[] = [];
  for (const [index, source] of sources.entries()) {
    try {
      rows.push(await sendDocument(context, source, teamId));
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (!(thrown instanceof Failure) || rows.length === 0) throw thrown;
      return { rows, failure: partlyDone(thrown, sources, index, team) };
    }
  }
  return { rows, failure: undefined };
}

function partlyDone(
  failure: Failure,
  sources: readonly UploadSource[],
  index: number,
  team: string,
): Failure {
  const { kind, message, hint, details } = failure;
  // One whose answer was lost may be there: whether it has to be sent again is for its own hint to say.
  const left = sources.slice(kind === 'outcomeUnknown' ? index + 1 : index).map(({ typed }) => typed);
  const rest = remark`The rest: ${command('docs', 'upload', ...left, '--team', team)}`;
  const waiting = sources.slice(index + 1).map(({ name }) => name);
  const unsent = waiting.length === 0 ? '' : ` Not sent: ${waiting.join(', ')}.`;
  return new Failure(
    'partlyDone',
    `Uploaded ${index} of ${sources.length} files. ${sources[index]?.name} failed: ${message}${unsent}`,
    {
      hint: joinRemarks([hint, left.length > 0 && rest]),
      details,
      cause: failure,
    },
  );
}

/**
 * Uploads a file. Returns the document as the service answers it.
 * @throws Failure as `Api.call`
 */
export async function sendDocument(
  context: ResourceContext,
  source: UploadSource,
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
    const { data } = await createOrLookUp(
      context,
      { noun: 'document', name, teamId, set: { team_id: teamId, size, chars }, before: [] },
      () => api.call('createDocument', call),
    );
    reporter.done(`Uploaded ${name}: ${groupedNumber(chars)} ${chars === 1 ? 'character' : 'characters'}.`);
    return data;
  } finally {
    progress.stop();
  }
}

/** Says which names documents of the team have already, or several of the files: a name then tells nothing apart. */
export async function noteNamesakes(
  context: ResourceContext,
  sources: readonly UploadSource[],
  teamId: string,
): Promise<void> {
  const names = sources.map(({ name }) => name);
  for (const name of new Set(names)) {
    const count = names.filter((other) => other === name).length;
    if (count > 1) context.reporter.note(`${count} of the files are called ${name}.`);
    if (await hasDocument(context, name, teamId))
      context.reporter.note(`The team has a document named ${name} already; this makes another one.`);
  }
}

/** Looks at the first page alone: where the service doesn't filter, knowing for sure would take too long. */
async function hasDocument({ api }: ResourceContext, name: string, teamId: string): Promise<boolean> {
  try {
    for await (const page of api.pages('listDocuments', { query: { name, team_id: teamId } }))
      return page.rows.some((row) => row.name === name && belongs(row, teamId));
  } catch (thrown) {
    // A note is not worth more than the upload: a service that doesn't list documents may still take one.
    if (!(thrown instanceof Failure) || !['rejected', 'notFound'].includes(thrown.kind)) throw thrown;
  }
  return false;
}
