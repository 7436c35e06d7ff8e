import type { ResourceRow } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { joinRemarks } from '../../lib/text/remark.ts';
import { unlessUnlisted } from '../namesakes.ts';
import { documentLookup, findExact, type NameLookup } from '../resolve.ts';
import type { ResourceContext } from '../resource-context.ts';
import type { UploadSource } from './upload-sources.ts';

/** A file to upload, beside what its team has under its name. */
export interface PlannedUpload {
  readonly source: UploadSource;
  /** The document that is there already, so that nothing is sent. */
  readonly there: ResourceRow | undefined;
  /** The other documents of its name. */
  readonly namesakes: readonly ResourceRow[];
  /** False if nobody looked for namesakes, or the service lists none. */
  readonly isLookedUp: boolean;
}

/** The choices about what is there already. */
export interface DuplicateOptions {
  /** Take the document of the name, whatever is in it. */
  readonly ifAbsent: boolean;
  /** Send everything, and look for nothing. */
  readonly duplicate: boolean;
}

/**
 * Looks what a team has of some files, each of its own name. A document of the same name, size and number of characters is
 * taken for the file itself.
 * @throws Failure `ambiguous` where `ifAbsent` meets several of a name, and as `Api.pages`
 */
export async function planUploads(
  context: ResourceContext,
  sources: readonly UploadSource[],
  teamId: string,
  { ifAbsent, duplicate }: DuplicateOptions,
): Promise<readonly PlannedUpload[]> {
  if (duplicate)
    return sources.map((source) => ({
      source,
      there: undefined,
      namesakes: [],
      isLookedUp: false,
    }));
  const names = sources.map(({ name }) => name);
  const look = (): Promise<NameLookup> => documentLookup(context.api, names, { teamId });
  // With `ifAbsent` it has to be known what is there.
  if (ifAbsent) return planByName(context, sources, await look());
  const lookup = await unlessUnlisted(look);
  const plans: PlannedUpload[] = [];
  for (const source of sources) {
    const { name, size, chars } = source;
    const rows = lookup && (await unlessUnlisted(() => lookup.named(name)));
    const namesakes = (rows ?? []).filter((row) => row.name === name);
    const there = namesakes.find((row) => Number(row.size) === size && Number(row.chars) === chars);
    plans.push({
      source,
      there,
      namesakes: namesakes.filter((row) => row !== there),
      isLookedUp: rows !== undefined,
    });
  }
  return plans;
}

async function planByName(
  { api, askWhich }: ResourceContext,
  sources: readonly UploadSource[],
  lookup: NameLookup,
): Promise<readonly PlannedUpload[]> {
  const plans: PlannedUpload[] = [];
  const failures: Failure[] = [];
  for (const source of sources) {
    try {
      const there = await findExact(api, 'document', source.name, { askWhich }, lookup);
      plans.push({ source, there, namesakes: [], isLookedUp: true });
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.kind !== 'ambiguous') throw thrown;
      failures.push(thrown);
    }
  }
  const [first, ...others] = failures;
  if (!first) return plans;
  if (others.length === 0) throw first;
  throw new Failure('ambiguous', failures.map(({ message }) => message).join('\n'), {
    next: failures.flatMap(({ next }) => next),
    hint: joinRemarks(failures.map(({ hint }) => hint)),
  });
}
