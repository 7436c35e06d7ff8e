import type { PagedEndpoint, ResourceRow } from '../client/api.ts';
import { Failure } from '../lib/errors.ts';
import { runBatch } from '../lib/run-batch.ts';
import { pagesIn } from '../resources/resolve.ts';
import type { ResourceContext } from '../resources/resource-context.ts';

/** Dependencies of reading. */
export type ReadContext = Pick<ResourceContext, 'api' | 'signal'>;

/** Requests that go on at the same time. */
const maxConcurrent = 8;

/** As many teams at the most are asked for one by one what they have; of more it is read in one list. */
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

/** Returns the form of a team's id that its rows stand under. */
export function teamKey(id: string): string {
  return id.toLowerCase();
}

/**
 * Does something with each of many things, several at a time.
 * @throws what the work throws first, and the signal's reason
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
 * Returns an object in its detail form, or undefined if the service has nothing of that id any more.
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
