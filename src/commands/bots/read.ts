import type { Api, Reply } from '../../client/api.ts';
import { resolveBot, resolveTeam } from '../../client/names.ts';

/** A bot in its detail form. */
export type BotDetail = Reply<'getBot'>['data'];

/**
 * Reads a bot by name or id.
 * @throws Failure `notFound`, or `usage` where several bots have the name
 */
export async function readBot(
  api: Api,
  bot: string,
  options: { readonly for: 'read' | 'write'; readonly team: string | undefined },
): Promise<BotDetail> {
  const teamId =
    options.team === undefined ? undefined : await resolveTeam(api, options.team, { for: 'read' });
  const id = await resolveBot(api, bot, { for: options.for, teamId });
  const { data } = await api.call('getBot', { path: { id } });
  return data;
}
