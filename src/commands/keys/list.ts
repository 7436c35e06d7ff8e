import { defineCommand } from '../../cli/command.ts';
import { searchOption, wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseRows } from '../../cli/list/list-rows.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { listKeys } from '../../resources/keys/find-key.ts';
import { keyFields } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List API keys',
  description: 'Never shows secrets: the service shows a secret only once, when the key is created.',
  options: { name: searchOption('keys'), ...wholeListOptions(keyFields) },
  examples: [
    { line: 'botctl keys list', does: 'List all keys with their expiry and last use' },
    { line: 'botctl keys list laptop', does: 'Search by name' },
    { line: 'botctl keys list -o json', does: 'Print them for a script' },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: keyFields,
    empty: { none: remark`No keys. Create one: ${command('keys', 'create')}`, noMatch: 'No matching key.' },
  },
  run: async (session, choice) =>
    chooseRows(
      session,
      (await listKeys(session.api)).map(({ raw }) => raw),
      choice,
    ),
});
