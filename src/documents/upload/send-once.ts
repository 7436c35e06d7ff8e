import type { ResourceRow } from '../../client/api.ts';
import { asFailure, type Failure, messageOf } from '../../lib/errors.ts';
import { collect } from '../../lib/iterables.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { command, joinRemarks, placeholder, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { Intent, Journal } from '../../once/intent-log.ts';
import {
  type Conclusion,
  concluded,
  createdIn,
  everyRow,
  type Likeness,
  nameLikeness,
  since,
} from '../../resources/created-lookup.ts';
import { mayBeThere } from '../../resources/document.ts';
import { makeOnce } from '../../resources/make-once.ts';
import { rowsNamed } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { ShownSizes } from './shown-size.ts';
import type { UploadSource } from './upload-sources.ts';

/** An upload as the journal keeps it: what its document is found by. */
export interface UploadIntent {
  readonly teamId: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly chars: number;
  /** Hash of its bytes, where it was taken: what the file holds now may be something else of the same figures. */
  readonly sha256?: string;
  /** The ids of the documents of that name that were there before. */
  readonly before: readonly string[];
}

/** Returns the details of an intent, or undefined for what are none. */
export function parseUploadIntent(details: unknown): UploadIntent | undefined {
  if (!isObject(details)) return undefined;
  const { teamId, name, size, chars, sha256, before } = details;
  if (typeof teamId !== 'string' || typeof name !== 'string') return undefined;
  if (typeof size !== 'number' || typeof chars !== 'number' || !Array.isArray(before)) return undefined;
  const hash = typeof sha256 === 'string' ? { sha256 } : {};
  return { teamId, name, size, chars, ...hash, before: before.filter((id) => typeof id === 'string') };
}

/**
 * Returns files in the order in which they are sent: last those that an earlier run was cut off at, since these are waited for.
 * @param nameOf returns the name of a file's document
 */
export function inSendingOrder<T>(
  files: readonly T[],
  { left }: Pick<Journal<UploadIntent>, 'left'>,
  nameOf: (file: T) => string,
): readonly T[] {
  const names = new Set(left.map(({ details }) => details.name));
  const waits = (file: T): boolean => names.has(nameOf(file));
  return [...files.filter((file) => !waits(file)), ...files.filter(waits)];
}

/** True if a file was sent by an intent as it is now, as far as that is known. */
export function isSentAs(
  intent: UploadIntent,
  { name, size, chars, sha256 }: Pick<UploadSource, 'name' | 'size' | 'chars' | 'sha256'>,
): boolean {
  const isSame = intent.name === name && intent.size === size && intent.chars === chars;
  return isSame && (intent.sha256 ?? sha256) === (sha256 ?? intent.sha256);
}

/** How documents are sent. */
export interface Sending {
  /** Files that are sent at the same time. */
  readonly concurrency: number;
  /** Milliseconds after its answer was lost in which a call may still take effect. */
  readonly settleMs: number;
  /** Send also what may be there under other figures. */
  readonly retriesUnknown: boolean;
  /** Aborted once nobody reads the rows any more: what is only waited for ends then, and the next run finds the intent. */
  readonly left: AbortSignal;
}

/** How a document is sent so that it is there once. */
export interface SendingOnce extends Pick<Sending, 'settleMs' | 'retriesUnknown'> {
  readonly journal: Journal<UploadIntent>;
  /** True if no other run writes to that journal. */
  readonly isAlone?: boolean;
  /**
   * Called with an intent once its outcome is known, in the place of ending it in the journal: a caller that keeps the outcome
   * elsewhere ends it once that is on the disk.
   */
  readonly onEnded?: (intent: Intent<UploadIntent>) => void;
  /** When it was looked what is there, in milliseconds since 1970 by this machine's clock; just now if it isn't given. */
  readonly lookedAt?: number;
  /** From when on a call of an earlier run that was cut off is waited for; from now on if it isn't given. */
  readonly waitsFrom?: number;
  /** The names of all files of this run, each of one. */
  readonly names: ReadonlySet<string>;
  /** Returns whether a document is certainly another one than what an intent has made, beside those that the intent names. */
  othersThan(intent: Intent<UploadIntent>): (id: string) => boolean;
  /** What the service shows as sizes; each answer adds to it. */
  readonly sizes: ShownSizes;
}

/** A document, and whether it was found after an answer was lost. */
export interface Sent {
  readonly row: JsonObject;
  readonly wasFound: boolean;
}

type LookContext = Pick<ResourceContext, 'api' | 'clock' | 'signal' | 'reporter'>;

/**
 * Sends a document so that it is there once. After a lost answer the team is looked through: a document of the name, size and
 * characters that wasn't there before is ours.
 * @param send makes the call
 * @throws Failure as `send`; `outcomeUnknown` where nobody can tell, and `network` where it is certainly not stored
 */
export async function sendOnce(
  context: LookContext,
  details: UploadIntent,
  once: SendingOnce,
  send: () => Promise<JsonObject>,
): Promise<Sent> {
  const { journal, sizes } = once;
  const end = endingBy(once);
  const { row, wasFound, intent } = await makeOnce(context, {
    ...{ name: details.name, details, make: send },
    journal: { begin: (of, at) => journal.begin(of, at), end },
    settle: (of, lost) => settleUpload(context, of, once, lost),
  });
  if (!wasFound) sizes.learn(details.size, row.size);
  end(intent);
  return { row, wasFound };
}

/** Returns what ends an intent once its outcome is known. */
export function endingBy({ journal, onEnded }: SendingOnce): (intent: Intent<UploadIntent>) => void {
  return onEnded ?? ((intent) => journal.end(intent));
}

/**
 * Returns the document of a file if another run has made it since it was looked what is there.
 * @throws Failure `ambiguous` where that can't be told, and as `Api.pages`
 */
export async function findSince(
  context: LookContext,
  details: UploadIntent,
  { sizes }: Pick<SendingOnce, 'sizes'>,
): Promise<ResourceRow | undefined> {
  const { teamId, name, before } = details;
  const rows = (await everyRow(context, 'document', teamId)).filter(({ id }) => !before.includes(id));
  const named = (likeness: Likeness): readonly ResourceRow[] =>
    rows.filter((row) => nameLikeness(row.name, name) === likeness);
  const possible = [...named('same'), ...named('near')];
  const found = possible.find((row) => sizes.compare(row, details) === 'same');
  const unclear = possible.filter((row) => sizes.compare(row, details) === 'maybe');
  if (!found && unclear.length > 0) throw mayBeThere(name, unclear);
  return found;
}

/**
 * Finds out what became of an upload whose answer nobody has: looks at once, and again when it can't take effect any more.
 * A run that was killed may have had it under way until then, so it is waited for too.
 * @param lost what to fail by if nobody can tell
 * @param wait milliseconds after which it can't take effect any more
 * @returns its document, or undefined if it was certainly not stored
 * @throws Failure `outcomeUnknown`, or that of a signal
 */
export async function settleUpload(
  context: LookContext,
  intent: Intent<UploadIntent>,
  once: SendingOnce,
  lost: Failure,
  wait = once.settleMs,
): Promise<ResourceRow | undefined> {
  const { name } = intent.details;
  for (const isLast of [false, true]) {
    if (isLast) await pauseToSettle(context, wait, name, lost);
    const conclusion = await look(context, intent, once, lost, isLast);
    if (conclusion.state === 'found') return conclusion.row;
    const isUnknown = isLast && conclusion.state === 'unknown' && !once.retriesUnknown;
    if (isUnknown) throw mayBeIt(lost, intent.details, conclusion.rows);
  }
  return undefined;
}

/**
 * Waits until what a call may have made can't appear any more.
 * @param wait milliseconds
 * @param name of what may appear
 * @throws Failure of the signal if that ends it, which says what is lost
 */
export async function pauseToSettle(
  { clock, signal, reporter }: Pick<LookContext, 'clock' | 'signal' | 'reporter'>,
  wait: number,
  name: string,
  lost: Failure,
): Promise<void> {
  if (wait <= 0) return;
  const progress = reporter.progress(
    `Waiting ${Math.ceil(wait / 1000)} s, in which ${name} may still appear`,
  );
  try {
    await clock.sleep(wait, signal);
  } catch (reason) {
    throw lost.afterSignal(asFailure(reason));
  } finally {
    progress.stop();
  }
}

/**
 * Concludes from the documents of the team what an upload has made. Only at the last look all of them are gone through: a service
 * may list new ones late by name, and may store one under another name.
 */
async function look(
  context: LookContext,
  intent: Intent<UploadIntent>,
  once: Pick<SendingOnce, 'names' | 'sizes' | 'othersThan'>,
  lost: Failure,
  isLast: boolean,
): Promise<Conclusion> {
  const { api, signal } = context;
  const { teamId, name } = intent.details;
  try {
    const rows = isLast
      ? await everyRow(context, 'document', teamId)
      : await collect(rowsNamed(api, 'listDocuments', name, { teamId, signal }));
    const isOther = once.othersThan(intent);
    const possible = rows.filter(({ id }) => !intent.details.before.includes(id) && !isOther(id));
    const conclusion = concluded(
      possible.map((row) => ({ row, likeness: likenessOfDocument(api, row, intent, once) })),
    );
    // What has nearly the name has to be the only one of all.
    const isWhole = isLast || conclusion.state !== 'found' || conclusion.isExact;
    return isWhole ? conclusion : await look(context, intent, once, lost, true);
  } catch (thrown) {
    if (signal.aborted) throw lost.afterSignal(asFailure(signal.reason));
    throw lost.withHint(
      joinRemarks([`Looking for the document failed: ${messageOf(thrown)}`, lost.hint], ' '),
    );
  }
}

/**
 * Returns the document of an upload whose response was lost if it exists by now, without waiting for it.
 * @throws Failure as `settleUpload`
 */
export async function findUpload(
  context: LookContext,
  intent: Intent<UploadIntent>,
  once: Pick<SendingOnce, 'names' | 'sizes' | 'othersThan'>,
  lost: Failure,
): Promise<ResourceRow | undefined> {
  const conclusion = await look(context, intent, once, lost, false);
  return conclusion.state === 'found' ? conclusion.row : undefined;
}

/** Returns how likely it is that a document is that of an intent. */
function likenessOfDocument(
  api: LookContext['api'],
  row: ResourceRow,
  { at, details }: Intent<UploadIntent>,
  { names, sizes }: Pick<SendingOnce, 'names' | 'sizes'>,
): Likeness {
  const { name } = details;
  const figures = sizes.compare(row, details);
  const byName = nameLikeness(row.name, name);
  if (byName === 'same') return figures === 'same' ? 'same' : 'maybe';
  const created = createdIn(row, since(api, at));
  // A service may store it under any name; but what was made by then under another one is another document.
  if (figures === 'other' || created === 'no' || (byName === 'other' && created !== 'certain'))
    return 'other';
  // It may be that of another file of this run as well.
  if (names.has(String(row.name))) return byName === 'other' ? 'other' : 'maybe';
  return byName === 'near' && figures === 'same' && created === 'certain' ? 'near' : 'maybe';
}

function mayBeIt(lost: Failure, { name }: UploadIntent, rows: readonly ResourceRow[]): Failure {
  const [first] = rows;
  return lost.withHint(
    remark`A document has appeared since that is not quite the one: its name, size or number of characters differs, or in which unit its size is can't be told. If it is another one, send ${inSentence(name)} again with --retry-unknown. Look at it: ${command('docs', 'get', first?.id ?? placeholder('ID'))}`,
  );
}
