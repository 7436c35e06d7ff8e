import type { Intent, Journal } from '../../batch/journal.ts';
import type { ResourceRow } from '../../client/api.ts';
import { asFailure, type Failure, messageOf } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { isSince } from '../created-lookup.ts';
import { makeOnce } from '../make-once.ts';
import { pagesIn, rowsNamed } from '../resolve.ts';
import type { ResourceContext } from '../resource-context.ts';
import { mayBeThere } from './document.ts';
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
  /** The names of all files of this run, each of one. */
  readonly names: ReadonlySet<string>;
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
  { api, signal }: Pick<LookContext, 'api' | 'signal'>,
  details: UploadIntent,
  { sizes }: Pick<SendingOnce, 'sizes'>,
): Promise<ResourceRow | undefined> {
  const { teamId, name, before } = details;
  const unclear: ResourceRow[] = [];
  for await (const row of rowsNamed(api, 'listDocuments', name, { teamId, signal })) {
    if (row.name !== name || before.includes(row.id)) continue;
    const likeness = sizes.compare(row, details);
    if (likeness === 'same') return row;
    if (likeness === 'maybe') unclear.push(row);
  }
  if (unclear.length > 0) throw mayBeThere(name, unclear);
  return undefined;
}

/**
 * Finds out what became of an upload whose answer nobody has: looks at once, and again when it can't take effect any more.
 * A run that was killed may have had it under way until then, so it is waited for from now on, too.
 * @param lost what to fail by if nobody can tell
 * @returns its document, or undefined if it was certainly not stored
 * @throws Failure `outcomeUnknown`, or that of a signal
 */
export async function settleUpload(
  context: LookContext,
  intent: Intent<UploadIntent>,
  once: SendingOnce,
  lost: Failure,
): Promise<ResourceRow | undefined> {
  for (const isLast of [false, true]) {
    if (isLast) await pauseToSettle(context, once.settleMs, intent.details.name, lost);
    const found = await look(context, intent, once, lost, isLast);
    if (found && found.name === intent.details.name && isAlike(found, intent.details, once)) return found;
    if (found && !once.retriesUnknown) throw otherFigures(lost, intent.details, found);
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
 * Returns the document that came since: of that name and those figures, or of that name. At the last look all documents of
 * the team are gone through, since a service may list new ones late by name, and may store one under another name.
 */
async function look(
  { api, signal }: LookContext,
  { at, details }: Intent<UploadIntent>,
  once: Pick<SendingOnce, 'names' | 'sizes'>,
  lost: Failure,
  isLast: boolean,
): Promise<ResourceRow | undefined> {
  const { teamId, name, before } = details;
  let other: ResourceRow | undefined;
  // A service may ignore what it is asked to filter by.
  const isOurs = (row: ResourceRow): boolean =>
    row.name === name &&
    (row.team_id === undefined || isSameId(String(row.team_id), teamId)) &&
    !before.includes(row.id);
  const mayBeRenamed = (row: ResourceRow): boolean => {
    const ahead = api.clockAhead();
    if (once.names.has(String(row.name)) || once.sizes.compare(row, details) === 'other') return false;
    return isSince(row, at + (ahead ?? 0), ahead !== undefined);
  };
  try {
    for await (const row of rowsNamed(api, 'listDocuments', name, { teamId, signal })) {
      if (isOurs(row) && isAlike(row, details, once)) return row;
      if (isOurs(row)) other ??= row;
    }
    if (other || !isLast) return other;
    for await (const { rows } of pagesIn(api, 'listDocuments', { teamId, signal })) {
      const own = rows.find((row) => isOurs(row) && isAlike(row, details, once));
      if (own) return own;
      other ??= rows.find((row) => isOurs(row) || mayBeRenamed(row));
    }
  } catch (thrown) {
    if (signal.aborted) throw lost.afterSignal(asFailure(signal.reason));
    throw lost.withHint(
      joinRemarks([`Looking for the document failed: ${messageOf(thrown)}`, lost.hint], ' '),
    );
  }
  return other;
}

function isAlike(row: ResourceRow, sent: UploadIntent, { sizes }: Pick<SendingOnce, 'sizes'>): boolean {
  return sizes.compare(row, sent) === 'same';
}

function otherFigures(lost: Failure, { name }: UploadIntent, { id }: ResourceRow): Failure {
  return lost.withHint(
    remark`A document has appeared since that is not quite the one: its name, size or number of characters differs, or in which unit its size is can't be told. If it is another one, send ${inSentence(name)} again with --retry-unknown. Look at it: ${command('docs', 'get', id)}`,
  );
}
