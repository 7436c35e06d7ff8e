import { defineCommand } from '../../cli/command.ts';
import { listOptions } from '../../cli/list/list-options.ts';
import { listRows } from '../../cli/list/list-rows.ts';
import { onOff, option } from '../../cli/options.ts';
import { someText } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { teamFields } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List teams',
  options: {
    name: option('--name <text>', 'only teams with this in their name', someText),
    paying: onOff('--paying', 'only teams that pay', 'only teams that do not pay'),
    ...listOptions(teamFields),
  },
  examples: [
    { line: 'botctl teams list --name coffee', does: 'Search by name' },
    { line: 'botctl teams list --no-paying --all -o json', does: 'All teams that do not pay, as JSON' },
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
