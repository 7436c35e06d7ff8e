import type { Api, Reply } from '../../client/api.ts';
import { resolveBot, resolveTeam } from '../../client/names.ts';

/** A bot in its detail form. */
export type BotDetail = Reply<'getBot'>['data'];

/** What a bot is called in a sentence: its name or, where the service doesn't show one, its id. */
export function labelOf({ name, id }: { readonly name?: unknown; readonly id: string }): string {
  return typeof name === 'string' && name !== '' ? name : id;
}

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
    options.team === undefined ? undefined : await resolveTeam(api, options.team, { for: options.for });
  const id = await resolveBot(api, bot, { for: options.for, teamId });
  const { data } = await api.call('getBot', { path: { id } });
  return data;
}
