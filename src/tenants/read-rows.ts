import type { PagedEndpoint, ResourceRow } from '../client/api.ts';
import { Failure } from '../lib/errors.ts';
import { runBatch } from '../lib/run-batch.ts';
import { pagesIn } from '../resources/resolve.ts';
import type { ResourceContext } from '../resources/resource-context.ts';

export type ReadContext = Pick<ResourceContext, 'api' | 'signal'>;

/** Concurrent requests. */
const maxConcurrent = 8;

/** Up to this many teams are read one by one; more teams are read from one list. */
const maxTeamsAsked = 4;

/**
 * Returns every row of a list.
 * @throws Failure as `Api.pages`
 */
export async function allRows({ api }: ReadContext, list: PagedEndpoint): Promise<readonly ResourceRow[]> {
  const rows: ResourceRow[] = [];
  for await (const page of pagesIn(api, list, {})) rows.push(...page.rows);
  return rows;
}

/**
 * Returns the rows of teams, by `teamKey` of their ids.
 * @throws Failure as `Api.pages`
 */
export async function rowsOfTeams(
  context: ReadContext,
  list: PagedEndpoint,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ResourceRow[]>> {
  const byTeam = new Map<string, ResourceRow[]>(teamIds.map((id) => [teamKey(id), []]));
  if (teamIds.length > maxTeamsAsked) {
    for (const row of await allRows(context, list)) byTeam.get(teamKey(String(row.team_id)))?.push(row);
    return byTeam;
  }
  await forEachConcurrently(context, teamIds, async (teamId) => {
    for await (const { rows } of pagesIn(context.api, list, { teamId })) {
      byTeam.get(teamKey(teamId))?.push(...rows);
    }
  });
  return byTeam;
}

/** Returns the key of a team for `rowsOfTeams`: its id in lower case. */
export function teamKey(id: string): string {
  return id.toLowerCase();
}

/**
 * Calls a function for each item, several at a time.
 * @throws the first error of the function, and the signal's reason
 */
export async function forEachConcurrently<T>(
  { signal }: Pick<ReadContext, 'signal'>,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  for await (const _ of runBatch(items, work, {
    concurrency: maxConcurrent,
    signal,
    stopsAfter: () => false,
  }));
  signal.throwIfAborted();
}

/**
 * Returns an object in its detail form, or undefined if it does not exist.
 * @throws Failure as `Api.call`
 */
export async function readRow(
  { api }: Pick<ReadContext, 'api'>,
  endpoint: 'getTeam' | 'getBot' | 'getDocument',
  id: string,
): Promise<ResourceRow | undefined> {
  try {
    return (await api.call(endpoint, { path: { id } })).data;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.kind === 'notFound') return undefined;
    throw thrown;
  }
}
