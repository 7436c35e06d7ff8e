import type { ResourceRow } from '../client/api.ts';
import { allowFailure } from '../lib/errors.ts';
import { isSameId } from '../lib/ids.ts';
import { isSafeSearchText } from '../lib/text/compare.ts';
import { capitalised, firstFew } from '../lib/text/sentence.ts';
import type { LookupTarget } from './created-lookup.ts';
import { belongs, findExact, listedNouns } from './resolve.ts';
import type { ResourceContext } from './resource-context.ts';

/** An object to create. */
export type ToCreate = Pick<LookupTarget, 'noun' | 'name' | 'teamId'>;

/** The existing objects with the name of an object to create. */
export interface Namesakes {
  /** The one to use instead of a new one. */
  readonly instead: ResourceRow | undefined;
  readonly all: readonly ResourceRow[];
}

/** The maximum number of names in a sentence. */
const maxTold = 5;

/**
 * Looks for objects that already have the name. If one is to be used instead of a new one, reads all of them;
 * otherwise only the first page of those that the service finds for the name: if it doesn't filter, certainty
 * would take too long.
 * @throws Failure as `findExact` if one is to be used, and as `Api.pages`
 */
export async function findNamesakes(
  context: Pick<ResourceContext, 'api' | 'askWhich' | 'reporter'>,
  toCreate: ToCreate,
  ifAbsent: boolean,
): Promise<Namesakes> {
  const { api, askWhich, reporter } = context;
  const { noun, name, teamId } = toCreate;
  if (!ifAbsent) return { instead: undefined, all: await likelyNamesakes(api, toCreate) };
  const instead = await findExact(api, noun, name, { askWhich, teamId });
  if (instead) reporter.note(`${isThere(noun, [name])}. Nothing was created.`);
  return { instead, all: [] };
}

/** Returns the sentence that an object with each name exists: `A team named Acme already exists`. */
export function isThere(noun: ToCreate['noun'], names: readonly string[]): string {
  if (names.length === 1) return `A ${noun} named ${names[0]} already exists`;
  return `${capitalised(noun)}s named ${firstFew(names, maxTold)} already exist`;
}

/** Returns the objects with the new name of an object, except that object, as `findNamesakes` does for a new one. */
export async function otherNamesakes(
  { api }: Pick<ResourceContext, 'api'>,
  renamed: ToCreate,
  id: string,
): Promise<readonly ResourceRow[]> {
  return (await likelyNamesakes(api, renamed)).filter((row) => !isSameId(row.id, id));
}

async function likelyNamesakes(
  api: ResourceContext['api'],
  { noun, name, teamId }: ToCreate,
): Promise<readonly ResourceRow[]> {
  const isAskedFor = isSafeSearchText(name);
  const query = { ...(isAskedFor && { name }), ...(teamId !== undefined && { team_id: teamId }) };
  const found: ResourceRow[] = [];
  await unlessUnlisted(async () => {
    for await (const { rows } of api.pages(listedNouns[noun].list, { query })) {
      found.push(...rows.filter((row) => row.name === name && belongs(row, teamId)));
      if (isAskedFor) break;
    }
  });
  return found;
}

/**
 * Returns the result of reading a list, or undefined if the service doesn't list. Checks before a
 * create must not prevent it: such a service may still accept the create.
 * @throws Failure of any other kind
 */
export function unlessUnlisted<T>(look: () => Promise<T>): Promise<T | undefined> {
  return allowFailure(look(), ['rejected', 'notFound']);
}
