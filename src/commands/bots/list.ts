import { resolveTeam } from '../../client/names.ts';
import { defineCommand } from '../../command.ts';
import { nameOf, option, someText } from '../../options.ts';
import { listOptions, listRows } from '../lists.ts';
import { botFields } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List bots',
  options: {
    team: option('--team <team>', 'only bots of this team, by name or id', nameOf('team')),
    name: option('--name <text>', 'only bots with this in their name', someText),
    ...listOptions,
  },
  examples: [
    { line: 'botctl bots list --team "Aurora Coffee"', does: "List a team's bots" },
    { line: 'botctl bots list --name desk -o json', does: 'Search by name, as JSON' },
  ],
  needs: 'session',
  effect: 'reads',
  output: { kind: 'list', fields: botFields },
  async run(context, { team, name, ...paging }) {
    const teamId = team === undefined ? undefined : await resolveTeam(context.api, team, { for: 'read' });
    return listRows(context, 'listBots', paging, { team_id: teamId, name });
  },
});
