import { defineCommand } from '../../command.ts';
import { bookedFields } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List the devices that this machine knows of',
  description:
    'The API has no list of devices, so botctl keeps a book of those that it created or met, for each service. ' +
    'Others are there too: give their id to any device command, and they are noted.',
  examples: [
    { line: 'botctl device list', does: 'See the devices of the service you are signed in to' },
    { line: 'botctl device list -o id', does: 'Print their ids' },
  ],
  needs: 'session',
  effect: 'reads',
  output: { kind: 'list', fields: bookedFields },
  async run({ api, settings }) {
    return settings.devices.list(api.baseUrl).map(({ id, name, teamId, botId, seenAt }) => ({
      id,
      name: name ?? null,
      team_id: teamId ?? null,
      bot_id: botId ?? null,
      seen_at: seenAt,
    }));
  },
});
