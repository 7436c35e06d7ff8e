import { defineCommand } from '../../command.ts';
import { argument, nameOf, option } from '../../options.ts';
import { labelOf, readBot } from './read.ts';

export const remove = defineCommand({
  name: 'delete',
  summary: 'Delete a bot, its assistant and its document links',
  description:
    'The documents themselves stay. A bot that is linked to a device cannot be deleted, and the API has no ' +
    'way to unlink one.',
  arguments: { bot: argument('the bot, by name or id', nameOf('bot')) },
  options: { team: option('--team <team>', 'team to look for the name in, by name or id', nameOf('team')) },
  examples: [
    { line: 'botctl bots delete "Front desk"', does: 'Delete a bot after typing its name' },
    { line: 'botctl bots delete "Front desk" --confirm "Front desk"', does: 'Delete it in a script' },
  ],
  needs: 'session',
  effect: 'destroys',
  output: { kind: 'nothing' },
  prepare: ({ api }, { bot, team }) => readBot(api, bot, { for: 'write', team }),
  async confirm({ api, settings }, _input, present) {
    const documents = Array.isArray(present.documents) ? present.documents.length : 0;
    const devices = settings.devices.list(api.baseUrl).filter(({ botId }) => botId === present.id);
    const consequences = [
      `This deletes bot ${labelOf(present)} (${present.id}) for good.`,
      documents > 0 && `It unlinks ${documents} document${documents === 1 ? '' : 's'}.`,
      devices.length > 0 &&
        `It will be refused while it is linked to ${devices.map(({ name, id }) => name ?? id).join(', ')}.`,
    ];
    return {
      level: 'name',
      question: consequences.filter(Boolean).join(' '),
      names: [...(typeof present.name === 'string' ? [present.name] : []), present.id],
    };
  },
  async run({ api, terminal }, _input, present) {
    await api.call('deleteBot', { path: { id: present.id } });
    terminal.done(`Deleted bot ${labelOf(present)}.`);
  },
});
