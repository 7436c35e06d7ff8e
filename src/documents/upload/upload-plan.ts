import type { ResourceRow } from '../../client/api.ts';
import type { Failure } from '../../lib/errors.ts';
import { asText } from '../../lib/json-object.ts';
import { normalizeForComparison } from '../../lib/text/compare.ts';
import { mayBeThere } from '../../resources/document.ts';
import { unlessUnlisted } from '../../resources/namesakes.ts';
import { type DocumentLookup, documentLookup, findExact, type NameLookup } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { joinFailures } from '../join-failures.ts';
import type { DocumentFigures } from './headroom.ts';
import { ShownSizes } from './shown-size.ts';
import type { UploadSource } from './upload-sources.ts';

/** A file to upload, with the existing documents of its name. */
export interface PlannedUpload {
  readonly source: UploadSource;
  /** The existing document of the file, so that nothing is sent. */
  readonly existing: ResourceRow | undefined;
  /** The other documents with its name. */
  readonly namesakes: readonly ResourceRow[];
  /** False if namesakes were not looked up, or the service lists none. */
  readonly isLookedUp: boolean;
}

/** The existing documents for some files. */
export interface UploadPlan {
  readonly plans: readonly PlannedUpload[];
  /** Every document of the team, if its whole list was read. */
  readonly every: readonly ResourceRow[] | undefined;
  /** How the service shows sizes, judging by existing documents. */
  readonly sizes: ShownSizes;
}

/** Returns the files that need an upload. */
export function newUploads(plans: readonly PlannedUpload[]): readonly PlannedUpload[] {
  return plans.filter(({ existing }) => !existing);
}

/** Returns the figures of the new documents, for the team's quotas. */
export function newFigures(plans: readonly PlannedUpload[]): DocumentFigures {
  const toSend = newUploads(plans);
  return {
    documents: toSend.length,
    characters: toSend.reduce((sum, { source }) => sum + source.chars, 0),
  };
}

/**
 * If the list has at most this many pages, it is read in full for several files, which also shows the remaining quotas.
 */
const wholePages = 20;

/** How existing documents are handled. */
export interface DuplicateOptions {
  /** The whole list of the team is useful. */
  readonly isRoomAsked: boolean;
  /** Use the document of the same name, regardless of its content. */
  readonly ifAbsent: boolean;
  /** Send everything without looking for existing documents. */
  readonly duplicate: boolean;
}

/**
 * Finds the existing documents of a team for some files with different names. A document with the same name, size and
 * number of characters is considered the file itself.
 * @throws Failure `ambiguous` if `ifAbsent` finds several with a name, or a document may or may not be the file itself,
 *   and as `Api.pages`
 */
export async function planUploads(
  context: ResourceContext,
  sources: readonly UploadSource[],
  teamId: string,
  { ifAbsent, duplicate, isRoomAsked }: DuplicateOptions,
): Promise<UploadPlan> {
  const sizes = new ShownSizes();
  if (duplicate) {
    const plans = sources.map((source) => ({
      source,
      existing: undefined,
      namesakes: [],
      isLookedUp: false,
    }));
    return { plans, every: undefined, sizes };
  }
  const names = sources.map(({ name }) => name);
  const look = (): Promise<DocumentLookup> =>
    documentLookup(context.api, names, { teamId }, isRoomAsked ? wholePages : 0);
  // `ifAbsent` needs the list of documents.
  const lookup = ifAbsent ? await look() : await unlessUnlisted(look);
  const plans =
    ifAbsent && lookup
      ? await planByName(context, sources, lookup)
      : await planByFigures(sources, lookup, sizes);
  return { plans, every: lookup?.every, sizes };
}

async function planByFigures(
  sources: readonly UploadSource[],
  lookup: NameLookup | undefined,
  sizes: ShownSizes,
): Promise<readonly PlannedUpload[]> {
  const found: { readonly source: UploadSource; readonly rows: readonly ResourceRow[] | undefined }[] = [];
  const names = new Set<unknown>(sources.map(({ name }) => name));
  for (const source of sources) {
    const { name } = source;
    const rows = lookup && (await unlessUnlisted(() => lookup.named(name)));
    const exact = rows?.filter((row) => row.name === name) ?? [];
    // Names that the service may have changed, except the exact name of another file.
    const near = rows?.filter(
      (row) =>
        !names.has(row.name) &&
        normalizeForComparison(asText(row.name) ?? '') === normalizeForComparison(name),
    );
    found.push({ source, rows: near && [...exact, ...near] });
  }
  sizes.learnAlike(found.map(({ source, rows = [] }) => ({ sent: source, rows })));
  const unclear: Failure[] = [];
  const plans = found.map(({ source, rows }): PlannedUpload => {
    const namesakes = rows ?? [];
    const existing = namesakes.find((row) => sizes.compare(row, source) === 'same');
    const maybe = existing ? [] : namesakes.filter((row) => sizes.compare(row, source) === 'maybe');
    if (maybe.length > 0)
      unclear.push(mayBeThere(source.name, maybe, 'Or send it anyway with --allow duplicate.'));
    const others = namesakes.filter((row) => row !== existing);
    return { source, existing, namesakes: others, isLookedUp: rows !== undefined };
  });
  const failure = joinFailures(unclear);
  if (failure) throw failure;
  return plans;
}

async function planByName(
  { api, askWhich }: ResourceContext,
  sources: readonly UploadSource[],
  lookup: NameLookup,
): Promise<readonly PlannedUpload[]> {
  const plans: PlannedUpload[] = [];
  for (const source of sources) {
    const existing = await findExact(api, 'document', source.name, { askWhich }, lookup);
    plans.push({ source, existing, namesakes: [], isLookedUp: true });
  }
  return plans;
}
