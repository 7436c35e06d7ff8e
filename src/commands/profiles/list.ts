import { defineCommand } from '../../cli/command.ts';
import { searchOption, wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseRows } from '../../cli/list/list-rows.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { profileFields, profileRow } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List the profiles on this machine',
  description:
    'Reads only this machine. To check a key with its service, run "botctl whoami". Never shows a secret.',
  options: { name: searchOption('profiles'), ...wholeListOptions(profileFields) },
  examples: [
    { line: 'botctl profiles list', does: 'List all profiles' },
    { line: 'botctl profiles list prod', does: 'Search by name' },
    { line: 'botctl profiles list -o json', does: 'Print them with all settings for a script' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: profileFields,
    empty: {
      none: remark`No profiles. Sign in: ${command('login')}, or start a sandbox: ${command('sandbox', 'start')}`,
      noMatch: 'No matching profile.',
    },
  },
  async run(context, choice) {
    const { profiles } = context.settings;
    const current = profiles.current();
    const rows = profiles.list().map((profile) => profileRow(profile, current));
    return chooseRows(context, rows, choice);
  },
});
