import { defineCommand } from '../../cli/command.ts';
import { listOptions, searchOption } from '../../cli/list/list-options.ts';
import { listRows } from '../../cli/list/list-rows.ts';
import { onOff } from '../../cli/options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { teamFields } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List teams',
  options: {
    name: searchOption('teams'),
    paying: onOff('--paying', 'only teams that pay', 'only teams that do not pay'),
    ...listOptions(teamFields),
  },
  examples: [
    { line: 'botctl teams list coffee', does: 'Search by name' },
    { line: 'botctl teams list --no-paying --all -o json', does: 'List all teams that do not pay, as JSON' },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: teamFields,
    empty: {
      none: remark`No teams yet. Create one: ${command('teams', 'create')}`,
      noMatch: 'No team matches.',
    },
  },
  run: async (session, { name, paying, ...paging }) =>
    listRows(session, 'listTeams', paging, { name, paying }),
});
