import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { inChunks } from '../../lib/iterables.ts';
import { joinRemarks } from '../../lib/text/remark.ts';
import { documentLookup, type ResolveOptions, resolveId } from '../resolve.ts';

/** The ids of documents, and the failures for those that were not found. */
export interface FoundDocuments {
  readonly ids: readonly string[];
  readonly failures: readonly Failure[];
}

/** Concurrent lookups. */
const atOnce = 8;

/**
 * Looks up documents by name or id: all of them, even if some are not found.
 * @throws Failure as `Api.call` and `AskWhich`; not for unknown or ambiguous names
 */
export async function findDocuments(
  api: Api,
  names: readonly string[],
  look: ResolveOptions,
): Promise<FoundDocuments> {
  const ids: string[] = [];
  const failures: Failure[] = [];
  const lookup = await documentLookup(api, names, look);
  const findOne = async (name: string): Promise<string | Failure> => {
    try {
      return await resolveId(api, 'document', name, look, lookup);
    } catch (thrown) {
      if (thrown instanceof Failure && ['notFound', 'ambiguous'].includes(thrown.kind)) return thrown;
      throw thrown;
    }
  };
  for (const some of inChunks(names, atOnce)) {
    for (const one of await Promise.all(some.map(findOne))) {
      if (one instanceof Failure) failures.push(one);
      else ids.push(one);
    }
  }
  return { ids, failures };
}

/**
 * Returns the ids if all documents were found.
 * @throws Failure with all problems: `notFound`, or `ambiguous` if one of the names is
 */
export function documentIds({ ids, failures }: FoundDocuments): string[] {
  const [first, ...others] = failures;
  if (first && others.length === 0) throw first;
  if (first) {
    const kind = failures.every((failure) => failure.kind === 'notFound') ? 'notFound' : 'ambiguous';
    const hints = new Map(failures.map(({ hint }) => [String(hint ?? ''), hint]));
    const message = failures.map((failure) => failure.message).join('\n');
    const next = failures.flatMap((failure) => failure.next);
    throw new Failure(kind, message, { next, hint: joinRemarks([...hints.values()]) });
  }
  return [...ids];
}
