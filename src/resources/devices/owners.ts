import type { BookedDevice } from '../../desk/device-book.ts';
import { allowFailure } from '../../lib/errors.ts';
import { asText, type JsonObject } from '../../lib/json-object.ts';
import { findNamed } from '../resolve.ts';
import type { ResourceContext } from '../resource-context.ts';

/** The team and the bot of a device, as in the device book. */
export type Owners = Pick<BookedDevice, 'teamId' | 'teamName' | 'botId' | 'botName'>;

/**
 * Finds the team and the bot that were given by name or id, and their names. If no team was given, it is that of the bot.
 * @throws Failure as `findNamed`
 */
export async function findOwners(
  { api, askWhich }: Pick<ResourceContext, 'api' | 'askWhich'>,
  { team, bot }: { readonly team: string | undefined; readonly bot: string | undefined },
): Promise<Owners> {
  const foundTeam = team === undefined ? undefined : await findNamed(api, 'team', team, { askWhich });
  const foundBot =
    bot === undefined ? undefined : await findNamed(api, 'bot', bot, { askWhich, teamId: foundTeam?.id });
  const isBotRead = foundBot && (!foundTeam || foundBot.name === undefined);
  const botShown = isBotRead ? await shownId(() => api.call('getBot', { path: { id: foundBot.id } })) : {};
  const teamId = foundTeam?.id ?? (asText(botShown.team_id) || undefined);
  const teamShown =
    teamId === undefined || foundTeam?.name !== undefined
      ? {}
      : await shownId(() => api.call('getTeam', { path: { id: teamId } }));
  return {
    teamId,
    teamName: foundTeam?.name ?? (asText(teamShown.name) || undefined),
    botId: foundBot?.id,
    botName: foundBot?.name ?? (asText(botShown.name) || undefined),
  };
}

/** Returns the response for an id, and nothing if it is not found: the actual call checks whether it exists. */
async function shownId(read: () => Promise<{ readonly data: JsonObject }>): Promise<JsonObject> {
  return (await allowFailure(read(), ['notFound', 'rejected']))?.data ?? {};
}
