import { defineCommand } from '../../cli/command.ts';
import { searchOption, wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseRows } from '../../cli/list/list-rows.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { profileFields, profileRow } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List the profiles on this machine',
  description: 'Never shows a secret. Nothing is asked of any service; botctl whoami does that.',
  options: { name: searchOption('profiles'), ...wholeListOptions(profileFields) },
  examples: [
    { line: 'botctl profiles list', does: 'Show every profile, and which one is current' },
    { line: 'botctl profiles list prod', does: 'Search by name' },
    { line: 'botctl profiles list -o json', does: 'The same for a script, with all settings' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: profileFields,
    empty: {
      none: remark`No profiles yet. Store one with ${command('login')}, or start a sandbox: ${command('sandbox', 'start')}`,
      noMatch: 'No profile matches.',
    },
  },
  async run(context, choice) {
    const { profiles } = context.settings;
    const current = profiles.current();
    const rows = profiles.list().map((profile) => profileRow(profile, current));
    return chooseRows(context, rows, choice);
  },
});
