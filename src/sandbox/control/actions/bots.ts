import { publishBot } from '../../routes/bots.ts';
import { type Actions, parseJson } from '../action.ts';
import { oneNamed } from '../named.ts';
import { publishRequest } from '../protocol.ts';

/** What the platform does with a bot outside the API. */
export const botActions: Actions<'/publish'> = {
  async '/publish'({ service }, { body }) {
    const { bot } = parseJson(publishRequest, body);
    const only = await oneNamed(service, 'bots', bot);
    const { published } = await publishBot(service, only.id);
    return { bot_id: only.id, name: only.name, published };
  },
};
