import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { BookedDevice } from '../../settings/device-book.ts';
import { type Found, findBot, findTeam } from '../resolve.ts';
import type { ResourceContext } from '../resource-context.ts';

/** The team and the bot of a device, as the device book keeps them. */
export type Owners = Pick<BookedDevice, 'teamId' | 'teamName' | 'botId' | 'botName'>;

/**
 * Finds the team and the bot that were given by name or id, and their names.
 * @throws Failure as `findTeam` and `findBot`
 */
export async function findOwners(
  { api, askWhich }: Pick<ResourceContext, 'api' | 'askWhich'>,
  { team, bot }: { readonly team: string | undefined; readonly bot: string | undefined },
): Promise<Owners> {
  const foundTeam = team === undefined ? undefined : await findTeam(api, team, { askWhich });
  const foundBot =
    bot === undefined ? undefined : await findBot(api, bot, { askWhich, teamId: foundTeam?.id });
  const [teamName, botName] = await Promise.all([
    nameOf(foundTeam, (id) => api.call('getTeam', { path: { id } })),
    nameOf(foundBot, (id) => api.call('getBot', { path: { id } })),
  ]);
  return { teamId: foundTeam?.id, teamName, botId: foundBot?.id, botName };
}

/** Returns the name of something that was given by its id; whether it is there is left to the call that needs it. */
async function nameOf(
  found: Found | undefined,
  read: (id: string) => Promise<{ readonly data: JsonObject }>,
): Promise<string | undefined> {
  if (found === undefined || found.name !== undefined) return found?.name;
  try {
    const { name } = (await read(found.id)).data;
    return typeof name === 'string' && name !== '' ? name : undefined;
  } catch (error) {
    if (error instanceof Failure && ['notFound', 'rejected'].includes(error.kind)) return undefined;
    throw error;
  }
}
