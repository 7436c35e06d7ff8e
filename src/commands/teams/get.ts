import { defineCommand } from '../../cli/command.ts';
import { eachOf, nameOf } from '../../cli/options.ts';
import { resolveId } from '../../resources/resolve.ts';
import { teamDetailFields } from './fields.ts';

export const get = defineCommand({
  name: 'get',
  summary: 'Show a team with its quotas and settings',
  arguments: { team: eachOf('the team, by name or id', nameOf('team')) },
  examples: [
    { line: 'botctl teams get "Aurora Coffee"', does: 'Show a team by its name' },
    { line: 'botctl teams get "Aurora Coffee" --fields id,quotas.bots', does: 'Show two of its fields' },
    {
      line: 'botctl teams list -o id | botctl teams get - -o ndjson',
      does: 'Show all teams with their quotas',
    },
  ],
  needs: 'api',
  effect: 'reads',
  output: { kind: 'record', fields: teamDetailFields },
  async run({ api, askWhich }, { team }) {
    const id = await resolveId(api, 'team', team, { askWhich });
    const { data } = await api.call('getTeam', { path: { id } });
    return data;
  },
});
