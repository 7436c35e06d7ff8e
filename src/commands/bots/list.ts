import { defineCommand } from '../../cli/command.ts';
import { listOptions, searchOption } from '../../cli/list/list-options.ts';
import { checkListInput, listRows } from '../../cli/list/list-rows.ts';
import { nameOf, option } from '../../cli/options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { resolveTeamOption } from '../../resources/resolve.ts';
import { botFields } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List bots',
  options: {
    team: option('--team <team>', 'only bots of this team, by name or id', nameOf('team')),
    name: searchOption('bots'),
    ...listOptions(botFields),
  },
  examples: [
    { line: 'botctl bots list --team "Aurora Coffee"', does: "List a team's bots" },
    { line: 'botctl bots list desk -o json', does: 'Search by name, as JSON' },
    {
      line: 'botctl bots list --where published=no --sort updated_at:desc',
      does: 'List unpublished bots, latest change first',
    },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: botFields,
    empty: {
      none: remark`No bots yet. Create one: ${command('bots', 'create')}`,
      noMatch: 'No bot matches.',
    },
  },
  async run(session, { team, name, ...paging }) {
    checkListInput(paging);
    const teamId = await resolveTeamOption(session, team);
    return listRows(session, 'listBots', paging, { team_id: teamId, name });
  },
});
