import type { ResourceRow } from '../../client/api.ts';
import { groupBy } from '../../lib/iterables.ts';
import { resolveId } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { allRows, forEachConcurrently, readRow, rowsOfTeams, teamKey } from '../read-rows.ts';
import type { TeamContents } from './exported-tenant.ts';

type ReadTeamsContext = Pick<ResourceContext, 'api' | 'signal' | 'askWhich' | 'devices'>;

/**
 * Reads teams with their contents: each list once, and each team and bot separately, since lists don't show every field.
 * @param words names and ids of the teams; undefined for every team
 * @returns each team once, in that order
 * @throws Failure as `resolveId` and `Api.call`
 */
export async function readTeams(
  context: ReadTeamsContext,
  words: readonly string[] | undefined,
): Promise<readonly TeamContents[]> {
  const ids = words ? await idsOf(context, words) : (await allRows(context, 'listTeams')).map(({ id }) => id);
  const [teams, bots, documents] = await Promise.all([
    readEach(context, ids, 'getTeam'),
    rowsOfTeams(context, 'listBots', ids),
    rowsOfTeams(context, 'listDocuments', ids),
  ]);
  const botIds = ids.flatMap((id) => (bots.get(teamKey(id)) ?? []).map((bot) => bot.id));
  const details = await readEach(context, botIds, 'getBot');
  const devices = groupBy(await context.devices.list(), ({ teamId }) => teamKey(teamId ?? ''));
  return ids.flatMap((id) => {
    const team = teams.get(id);
    if (!team) return [];
    return {
      ...{ team, documents: documents.get(teamKey(id)) ?? [], devices: devices.get(teamKey(id)) ?? [] },
      bots: (bots.get(teamKey(id)) ?? []).flatMap((bot) => details.get(bot.id) ?? []),
    };
  });
}

async function idsOf(
  { api, askWhich }: ReadTeamsContext,
  words: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const word of words) ids.push(await resolveId(api, 'team', word, { askWhich }));
  return [...new Set(ids)];
}

/** Reads objects by their ids. Objects that no longer exist are omitted. */
async function readEach(
  context: ReadTeamsContext,
  ids: readonly string[],
  endpoint: 'getTeam' | 'getBot',
): Promise<ReadonlyMap<string, ResourceRow>> {
  const rows = new Map<string, ResourceRow>();
  await forEachConcurrently(context, ids, async (id) => {
    const row = await readRow(context, endpoint, id);
    if (row) rows.set(id, row);
  });
  return rows;
}
