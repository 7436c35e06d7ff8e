import { resolveTeam } from '../../client/names.ts';
import { defineCommand } from '../../command.ts';
import { argument, nameOf } from '../../input/options.ts';
import { teamDetailFields } from './fields.ts';

export const get = defineCommand({
  name: 'get',
  summary: 'Show a team with its quotas and settings',
  arguments: { team: argument('the team, by name or id', nameOf('team')) },
  examples: [
    { line: 'botctl teams get "Aurora Coffee"', does: 'Show a team by its name' },
    { line: 'botctl teams get "Aurora Coffee" --fields id,quotas.bots', does: 'Show two of its fields' },
  ],
  needs: 'session',
  effect: 'reads',
  output: { kind: 'record', fields: teamDetailFields },
  async run({ api, signal }, { team }) {
    const id = await resolveTeam(api, team, { for: 'read', signal });
    const { data } = await api.call('getTeam', { path: { id }, signal });
    return data;
  },
});
