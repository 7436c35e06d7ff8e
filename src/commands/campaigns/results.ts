import { rowStates } from '../../campaigns/row-state.ts';
import { CommandResult, defineCommand } from '../../cli/command.ts';
import { wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseStreamed } from '../../cli/list/list-rows.ts';
import { argument, choice, nameOf, option } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import type { Row } from '../../output/fields.ts';
import { fieldsOfRows, resultFields, resultRow } from './fields.ts';
import { markedCampaign, storeOf } from './stored.ts';

export const results = defineCommand({
  name: 'results',
  summary: 'List the rows of a campaign',
  description:
    'Rows and columns have the order of the list. If a column of the list has the name of one of botctl, the one of botctl ' +
    'gets the prefix campaign_. In CSV a line break becomes \\n, a formula starts with an apostrophe, and terminal escapes ' +
    'are removed; -o ndjson keeps each cell unchanged. In --where and --sort, write a dot before a column of the list: ' +
    '--where .city=Lisbon.',
  arguments: { campaign: argument('name of the campaign', nameOf('campaign')) },
  options: {
    state: option('--state <state>', 'only rows in this state', choice(...rowStates)),
    ...wholeListOptions(resultFields),
    ...storeOptions,
  },
  examples: [
    { line: 'botctl campaigns results spring', does: 'List every row' },
    { line: 'botctl campaigns results spring --sort at:desc --limit 20', does: 'List the last 20 messages' },
    {
      line: 'botctl campaigns results spring --state skipped -o csv > skipped.csv',
      does: 'Save the skipped rows with their reasons',
    },
  ],
  needs: 'identity',
  effect: 'reads',
  output: {
    kind: 'list',
    isOpen: true,
    fields: resultFields,
    empty: { none: 'The campaign has no rows.', noMatch: 'No row matches.' },
  },
  async prepare(session, input) {
    return { store: await storeOf(session, input), ...(await markedCampaign(session, input)) };
  },
  async run(session, { state, ...choice }, { store, campaign }) {
    const pages = async function* (): AsyncGenerator<readonly Row[]> {
      for await (const page of store.rows(campaign)) {
        const wanted = state === undefined ? page : page.filter((row) => row.state === state);
        yield wanted.map((row) => resultRow(campaign, row));
      }
    };
    const rows = await chooseStreamed(session, pages(), choice);
    return new CommandResult(rows, { fields: fieldsOfRows(campaign.columns) });
  },
});
