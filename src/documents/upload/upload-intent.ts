import type { ResourceRow } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { isObject } from '../../lib/json-object.ts';
import { command, placeholder, type Remark, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { Intent, IntentLog } from '../../once/intent-log.ts';
import { creationMatch, type Likeness, nameLikeness, periodSince } from '../../once/likeness.ts';
import type { DecidingSearch, InterruptedCall } from '../../once/settle.ts';
import { everyRow, listingOf } from '../../resources/created-lookup.ts';
import { mayBeThere } from '../../resources/document.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { ShownSizes } from './shown-size.ts';
import type { UploadSource } from './upload-sources.ts';

/** An upload in the intent log, with the details by which its document is found. */
export interface UploadIntent {
  readonly teamId: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly chars: number;
  /** Hash of its bytes, if known: the file may now have other content with the same size and characters. */
  readonly sha256?: string;
  /** The ids of the documents with that name, or a similar one, that existed before. */
  readonly before: readonly string[];
}

/** Parses the details of an intent; returns undefined if they are not valid. */
export function parseUploadIntent(details: unknown): UploadIntent | undefined {
  if (!isObject(details)) return undefined;
  const { teamId, name, size, chars, sha256, before } = details;
  if (typeof teamId !== 'string' || typeof name !== 'string') return undefined;
  if (typeof size !== 'number' || typeof chars !== 'number' || !Array.isArray(before)) return undefined;
  const hash = typeof sha256 === 'string' ? { sha256 } : {};
  return { teamId, name, size, chars, ...hash, before: before.filter((id) => typeof id === 'string') };
}

/**
 * Returns files in the order for sending. Those whose upload was interrupted come last, since they may have to wait.
 * @param nameOf returns the name of a file's document
 */
export function sortForSending<T>(
  files: readonly T[],
  { unresolved }: Pick<IntentLog<UploadIntent>, 'unresolved'>,
  nameOf: (file: T) => string,
): readonly T[] {
  const names = new Set(unresolved.map(({ details }) => details.name));
  const waits = (file: T): boolean => names.has(nameOf(file));
  return [...files.filter((file) => !waits(file)), ...files.filter(waits)];
}

/** Returns a function that gives the number of each file as it is sent, `22 of 60`; undefined if there is only one. */
export function placesOf(count: number): () => string | undefined {
  let begun = 0;
  return () => {
    begun += 1;
    return count > 1 ? `${begun} of ${count}` : undefined;
  };
}

/** Returns whether an intent sent the current content of a file, as far as that is known. */
export function isSentAs(
  intent: UploadIntent,
  { name, size, chars, sha256 }: Pick<UploadSource, 'name' | 'size' | 'chars' | 'sha256'>,
): boolean {
  const isSame = intent.name === name && intent.size === size && intent.chars === chars;
  return isSame && (intent.sha256 ?? sha256) === (sha256 ?? intent.sha256);
}

/** Options for sending documents. */
export interface SendOptions {
  /** The number of concurrent uploads. */
  readonly concurrency: number;
  /** Send a file again even if a document with another size may be its own. */
  readonly retriesUnknown: boolean;
  /** Aborted once the output is closed: waiting ends then, and the next run finds the intents. */
  readonly outputClosed: AbortSignal;
}

/** Options for storing a document once. */
export interface SendOnceOptions extends Pick<SendOptions, 'retriesUnknown'> {
  readonly log: IntentLog<UploadIntent>;
  /**
   * When the documents were listed, in milliseconds since 1970 by this machine's clock: another run may have sent one since.
   * Undefined if no other run writes to that log.
   */
  readonly lookedAt?: number;
  /** When calls of earlier runs can no longer take effect, in milliseconds since 1970 by this machine's clock. */
  readonly deadline: number;
  /** The names of all files of this run. */
  readonly names: ReadonlySet<string>;
  /** Returns a function that checks by id whether a document is recorded as that of another call. */
  known(): (id: string) => boolean;
  /** The ids of the documents that were listed before this run, in lower case: no upload of this run made them. */
  readonly listed?: ReadonlySet<string>;
  /** How the service shows sizes; each response adds to it. */
  readonly sizes: ShownSizes;
}

type LookContext = Pick<ResourceContext, 'api' | 'signal'>;

/**
 * Returns the document of a file if another run has sent it since the documents were listed.
 * @throws Failure `ambiguous` if a document may be the one, and as `Api.pages`
 */
export async function findSince(
  context: LookContext,
  details: UploadIntent,
  { sizes }: Pick<SendOnceOptions, 'sizes'>,
): Promise<ResourceRow | undefined> {
  const { teamId, name, before } = details;
  const rows = (await everyRow(context, 'document', teamId)).filter(({ id }) => !before.includes(id));
  const named = (likeness: Likeness): readonly ResourceRow[] =>
    rows.filter((row) => nameLikeness(row.name, name) === likeness);
  const possible = [...named('same'), ...named('near')];
  const found = possible.find((row) => sizes.compare(row, details) === 'same');
  const ambiguous = possible.filter((row) => sizes.compare(row, details) === 'maybe');
  if (!found && ambiguous.length > 0) throw mayBeThere(name, ambiguous);
  return found;
}

/**
 * Returns how to find the document of an upload.
 * @param listed the ids of documents that it certainly did not create, in lower case
 */
export function searchForUpload(
  context: LookContext,
  intent: Intent<UploadIntent>,
  once: Pick<SendOnceOptions, 'names' | 'sizes' | 'known' | 'retriesUnknown'>,
  listed: ReadonlySet<string> = new Set(),
): DecidingSearch<ResourceRow> {
  const { teamId, name, before } = intent.details;
  return {
    ...listingOf(context, { noun: 'document', name, teamId }),
    grader() {
      const isKnown = once.known();
      return (row) => {
        const isOther = before.includes(row.id) || isKnown(row.id) || listed.has(row.id.toLowerCase());
        return isOther ? 'other' : likenessOfDocument(context.api, row, intent, once);
      };
    },
    hint: ([row]) => (once.retriesUnknown ? undefined : identityReason(name, row)),
  };
}

/** Returns how to find out the outcome of an upload of an earlier run that was interrupted, and to record it with `end`. */
export function interruptedUpload(
  context: LookContext,
  intent: Intent<UploadIntent>,
  once: Parameters<typeof searchForUpload>[2],
  end: InterruptedCall<ResourceRow>['end'],
): InterruptedCall<ResourceRow> {
  const { name } = intent.details;
  const message = `It is not known whether an earlier, interrupted run stored ${name}.`;
  return {
    search: searchForUpload(context, intent, once),
    lost: new Failure('outcomeUnknown', message),
    end,
  };
}

/** Returns how likely a document comes from an intent. */
function likenessOfDocument(
  api: LookContext['api'],
  row: ResourceRow,
  { at, details }: Intent<UploadIntent>,
  { names, sizes }: Pick<SendOnceOptions, 'names' | 'sizes'>,
): Likeness {
  const { name } = details;
  const figures = sizes.compare(row, details);
  const byName = nameLikeness(row.name, name);
  if (byName === 'same') return figures === 'same' ? 'same' : 'maybe';
  const created = creationMatch(row, periodSince(api, at));
  // A service may store it under any name, but a document that was certainly created before is another one.
  if (figures === 'other' || created === 'no' || (byName === 'other' && created !== 'certain'))
    return 'other';
  // It may also be the document of another file of this run.
  if (names.has(String(row.name))) return byName === 'other' ? 'other' : 'maybe';
  return byName === 'near' && figures === 'same' && created === 'certain' ? 'near' : 'maybe';
}

function identityReason(name: string, row: ResourceRow | undefined): Remark {
  return remark`A similar document has appeared since, but its name, size or number of characters differs or can't be compared. If it is a different document, send ${inSentence(name)} again with --retry-unknown. Check it: ${command('docs', 'get', row?.id ?? placeholder('ID'))}`;
}
