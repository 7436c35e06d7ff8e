import { rowStates } from '../../campaigns/row-state.ts';
import { defineCommand, Returned } from '../../cli/command.ts';
import { wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseArriving } from '../../cli/list/list-rows.ts';
import { argument, choice, nameOf, option } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import type { Row } from '../../output/fields.ts';
import { fieldsOfRows, resultFields, resultRow } from './fields.ts';
import { markedCampaign, storeOf } from './stored.ts';

export const results = defineCommand({
  name: 'results',
  summary: 'Print the rows of a campaign with all their columns, and how each stands',
  description:
    'Rows and columns come in the order of the list. What a column has already as its name, ours has with campaign_ in ' +
    'front of it. In CSV a line break in a cell is \\n, a formula has an apostrophe in front of it, and escapes of ' +
    'terminals are left out; -o ndjson has each cell as it was. A column of the list has a dot in --where and --sort: ' +
    '--where .city=Lisbon.',
  arguments: { campaign: argument('the campaign, by its name', nameOf('campaign')) },
  options: {
    state: option('--state <state>', 'only rows in this state', choice(...rowStates)),
    ...wholeListOptions(resultFields),
    ...storeOptions,
  },
  examples: [
    { line: 'botctl campaigns results spring', does: 'See every row' },
    { line: 'botctl campaigns results spring --sort at:desc --limit 20', does: 'See the last 20 messages' },
    {
      line: 'botctl campaigns results spring --state skipped -o csv > skipped.csv',
      does: 'Save who gets nothing, and why',
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
    const rows = await chooseArriving(session, pages(), choice);
    return new Returned(rows, { fields: fieldsOfRows(campaign.columns) });
  },
});
