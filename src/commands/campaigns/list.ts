import { defineCommand, withFailure } from '../../cli/command.ts';
import { searchOption, wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseRows } from '../../cli/list/list-rows.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { originOf } from '../../settings/base-url.ts';
import { listFields, listRow } from './fields.ts';
import { storeOf } from './stored.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List campaigns of this service',
  options: { name: searchOption('campaigns'), ...wholeListOptions(listFields), ...storeOptions },
  examples: [
    { line: 'botctl campaigns list', does: 'List every campaign with its counts' },
    { line: 'botctl campaigns list spring', does: 'Search by name' },
    { line: 'botctl campaigns list -o json', does: 'List them for a script' },
  ],
  needs: 'identity',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: listFields,
    empty: {
      none: remark`No campaigns yet. Create one: ${command('campaigns', 'create', '--help')}`,
      noMatch: 'No campaign matches.',
    },
  },
  async run(session, { database, ...choice }) {
    const store = await storeOf(session, { database });
    const { campaigns, unreadable } = await store.list(originOf(session.identity.baseUrl));
    const rows = campaigns.map(listRow);
    const [first] = unreadable;
    for (const { message } of unreadable.slice(1)) session.terminal.warn(message);
    return withFailure(await chooseRows(session, rows, choice), first);
  },
});
