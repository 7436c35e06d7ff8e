import { join } from 'node:path';
import type { ResourceRow } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { asText, type JsonObject } from '../../lib/json-object.ts';
import { byteSize, groupedNumber } from '../../lib/text/numbers.ts';
import { type Intent, IntentLog } from '../../once/intent-log.ts';
import { type SendResult, sendOnce } from '../../once/send-once.ts';
import { settleInterrupted } from '../../once/settle.ts';
import { createOrLookUp } from '../../resources/created-lookup.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { originOf } from '../../settings/base-url.ts';
import { fileHash } from '../../settings/small-files.ts';
import { mediaType } from '../kind.ts';
import { hasChanged } from '../local-file.ts';
import {
  findSince,
  interruptedUpload,
  isSentAs,
  parseUploadIntent,
  type SendOnceOptions,
  searchForUpload,
  type UploadIntent,
} from './upload-intent.ts';
import type { PlannedUpload } from './upload-plan.ts';
import type { UploadSource } from './upload-sources.ts';

/** A file to send, with the existing documents of its name. */
export interface DocumentToSend extends Omit<PlannedUpload, 'existing'> {
  /** The number of the file in the run, if there are several: `22 of 60`. */
  readonly place?: string | undefined;
}

/**
 * Opens the intent log of the uploads to a team of a service. The caller closes it after the last one.
 * @throws Failure as `IntentLog.open`
 */
export function openUploads(
  { settings, identity, reporter }: Pick<ResourceContext, 'settings' | 'identity' | 'reporter'>,
  teamId: string,
): IntentLog<UploadIntent> {
  const place = fileHash(`${originOf(identity.baseUrl)}\n${teamId.toLowerCase()}`);
  return IntentLog.open({
    directory: join(settings.paths.data, 'uploads', place),
    parse: parseUploadIntent,
    onUnwritable: ({ message }) =>
      reporter.warn(
        `${message} If this upload is interrupted, the next one can't tell which files were sent.`,
      ),
  });
}

/** A document that was sent. */
export interface SentDocument {
  /** Its `outcome` is `uploaded`, or `already there` if an earlier or another run has sent it. */
  readonly row: JsonObject;
  /** The caller ends it after recording the document; undefined if there was no call, or it is not logged. */
  readonly intent?: Intent<UploadIntent>;
}

/**
 * Uploads a file so that it is stored once, even if another run of this machine uploads it at the same time.
 * @returns the document from the response, or the one found after a lost response, also of an earlier run
 * @throws Failure as `sendOnce`, and `invalidInput` if the file has changed since it was counted
 */
export async function sendDocument(
  context: ResourceContext,
  document: DocumentToSend,
  teamId: string,
  once: SendOnceOptions,
): Promise<SentDocument> {
  const { reporter, signal } = context;
  const { source, isLookedUp } = document;
  const { name } = source;
  const { log, lookedAt } = once;
  if (!isLookedUp || lookedAt === undefined) return send(context, document, teamId, once);
  const busy = `${name} is being uploaded`;
  const claim = await log.claim(name, { busy, signal, onWait: (words) => reporter.note(words) });
  try {
    const mayBeThere = claim.hasWaited || log.hasOtherRuns(lookedAt);
    const there = mayBeThere ? await findSince(context, intentOf(document, teamId), once) : undefined;
    return there
      ? { row: alreadyUploaded(context, { source }, there, once) }
      : await send(context, document, teamId, once);
  } finally {
    claim.release();
  }
}

function intentOf({ source, namesakes }: DocumentToSend, teamId: string): UploadIntent {
  const { name, size, chars, sha256 } = source;
  const before = namesakes.map(({ id }) => id);
  return { teamId, name, size, chars, ...(sha256 !== undefined && { sha256 }), before };
}

async function send(
  context: ResourceContext,
  document: DocumentToSend,
  teamId: string,
  once: SendOnceOptions,
): Promise<SentDocument> {
  const { source, isLookedUp, place } = document;
  const { api, reporter } = context;
  const { path, name, size, chars } = source;
  const details = intentOf(document, teamId);
  const earlier = isLookedUp ? await settleEarlier(context, details, once) : undefined;
  if (earlier) return { ...earlier, row: alreadyUploaded(context, { source }, earlier.row, once) };
  const label = place === undefined ? `Uploading ${name}` : `Uploading ${place}, ${name}`;
  const progress = reporter.progress(label);
  const total = byteSize(size);
  const onSent = (bytes: number): void => {
    const sent = `${byteSize(bytes)} of ${total}`;
    progress.update(`${label}: ${bytes < size ? sent : `all ${total} sent, waiting for the answer`}`);
  };
  const call = async (): Promise<ResourceRow> => {
    if (hasChanged(source))
      throw new Failure('invalidInput', `${source.typed} changed after its characters were counted.`, {
        hint: 'Nothing was stored. Upload it when the file no longer changes.',
      });
    const file = { path, name, type: mediaType(name), onSent };
    return (await api.call('createDocument', { body: { team_id: teamId, chars }, file })).data;
  };
  // For a service that listed none before. The size is omitted: the service's unit is unknown.
  const set = { team_id: teamId, chars };
  try {
    const sent: Partial<SendResult<UploadIntent, ResourceRow>> & Pick<SentDocument, 'row'> = isLookedUp
      ? await sendSettled(context, details, once, call)
      : { row: await createOrLookUp(context, { noun: 'document', name, teamId, set, before: [] }, call) };
    const { row, wasFound, intent } = sent;
    const called = asText(row.name) ?? name;
    const count = `${groupedNumber(chars)} ${chars === 1 ? 'character' : 'characters'}`;
    reporter.done(wasFound ? `${called} was uploaded: ${count}.` : `Uploaded ${called}: ${count}.`);
    if (called !== name) reporter.warn(`The service changed the name ${name} to ${called}.`);
    return { row: { ...row, outcome: 'uploaded' }, ...(intent && { intent }) };
  } finally {
    progress.stop();
  }
}

/** Sends a document once. @throws Failure as `call` and `sendOnce` */
async function sendSettled(
  context: ResourceContext,
  details: UploadIntent,
  once: SendOnceOptions,
  call: () => Promise<ResourceRow>,
): Promise<SendResult<UploadIntent, ResourceRow>> {
  const { log, sizes } = once;
  const search = (intent: Intent<UploadIntent>) => searchForUpload(context, intent, once, once.listed);
  const sent = await sendOnce(context, { details, log, send: call, search });
  if (!sent.wasFound) sizes.learn(details.size, sent.row.size);
  return sent;
}

/** Returns the document that an interrupted upload of an earlier run has stored; undefined if there is none. */
async function settleEarlier(
  context: ResourceContext,
  details: UploadIntent,
  once: SendOnceOptions,
): Promise<{ readonly row: ResourceRow; readonly intent: Intent<UploadIntent> } | undefined> {
  const { log, deadline } = once;
  for (const intent of unfinishedUploads(details, details.teamId, log)) {
    const end = (found: ResourceRow | undefined): void => {
      if (!found) log.end(intent);
    };
    const row = await settleInterrupted(context, interruptedUpload(context, intent, once, end), deadline);
    if (row) return { row, intent };
  }
  return undefined;
}

/** Returns the intents of earlier runs that sent the current content of a file to a team. */
export function unfinishedUploads(
  source: Pick<UploadSource, 'name' | 'size' | 'chars' | 'sha256'>,
  teamId: string,
  log: IntentLog<UploadIntent>,
): readonly Intent<UploadIntent>[] {
  return log.unresolved.filter(
    ({ details }) => isSameId(details.teamId, teamId) && isSentAs(details, source),
  );
}

/**
 * Reports that a document exists, and whether its figures differ. Returns its row.
 * @param note the message if its figures are the same; none if empty
 */
export function alreadyUploaded(
  { reporter }: Pick<ResourceContext, 'reporter'>,
  { source }: Pick<PlannedUpload, 'source'>,
  there: ResourceRow,
  { sizes }: Pick<SendOnceOptions, 'sizes'>,
  note = `The team already has ${source.name}. Nothing was sent.`,
): JsonObject {
  const { name, size, chars } = source;
  if (sizes.compare(there, source) === 'other') {
    const unit = sizes.mayBeBytes ? 'bytes' : 'units of the service';
    reporter.warn(
      `The team already has a different ${name}: ${figuresOf(there, unit)}. Your file has ${figuresOf({ size, chars }, 'bytes')}. Nothing was sent.`,
    );
  } else if (note !== '') {
    reporter.note(note);
  }
  return { ...there, outcome: 'already there' };
}

/** Returns size and characters as text. */
function figuresOf({ size, chars }: JsonObject, unit: string): string {
  const figures = [
    { shown: size, unit },
    { shown: chars, unit: 'characters' },
  ].filter(({ shown }) => shown !== undefined && shown !== null);
  return figures.map(({ shown, unit: one }) => `${groupedNumber(Number(shown))} ${one}`).join(' and ');
}
