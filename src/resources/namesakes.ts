import type { ResourceRow } from '../client/api.ts';
import { allowFailure } from '../lib/errors.ts';
import { isSameId } from '../lib/ids.ts';
import { isSafeSearchText } from '../lib/text/compare.ts';
import { capitalised, firstFew } from '../lib/text/sentence.ts';
import type { LookupTarget } from './created-lookup.ts';
import { belongs, findExact, listedNouns } from './resolve.ts';
import type { ResourceContext } from './resource-context.ts';

/** Something that is about to be created. */
export type ToCreate = Pick<LookupTarget, 'noun' | 'name' | 'teamId'>;

/** What is there already under the very name that something is about to be created with. */
export interface Namesakes {
  /** The one that is given in the place of a new one. */
  readonly instead: ResourceRow | undefined;
  readonly all: readonly ResourceRow[];
}

/** Names that a sentence lists. */
const maxTold = 5;

/**
 * Looks for what has the name already. Where it is to be given in the place of a new one, all there is is looked
 * through; otherwise the first page of those that the service finds for the name: where it doesn't filter, knowing for
 * sure would take too long.
 * @throws Failure as `findExact` where one is to be given, and as `Api.pages`
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

/** Says that something of each name is there: `A team named Acme is there already`. */
export function isThere(noun: ToCreate['noun'], names: readonly string[]): string {
  if (names.length === 1) return `A ${noun} named ${names[0]} already exists`;
  return `${capitalised(noun)}s named ${firstFew(names, maxTold)} already exist`;
}

/** Returns what has the name of something that is renamed, beside it, as far as `findNamesakes` would tell of a new one. */
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
 * Returns what a look at a list finds, or undefined if the service doesn't list. What is asked or noted before a
 * create is not worth more than the thing: such a service may still take one.
 * @throws Failure of every other kind
 */
export function unlessUnlisted<T>(look: () => Promise<T>): Promise<T | undefined> {
  return allowFailure(look(), ['rejected', 'notFound']);
}
