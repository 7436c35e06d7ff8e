import { rowStates } from '../../campaigns/row-state.ts';
import { defineCommand } from '../../cli/command.ts';
import { argument, choice, nameOf, option } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { Batches } from '../../lib/iterables.ts';
import type { Row } from '../../output/fields.ts';
import { fieldsOfRows, resultFields, resultRow } from './fields.ts';
import { markedCampaign, storeOf } from './stored.ts';

export const results = defineCommand({
  name: 'results',
  summary: 'Print the rows of a campaign with all their columns, and how each stands',
  description:
    'Rows and columns come in the order of the list. What a column has already as its name, ours has with campaign_ in ' +
    'front of it. In CSV a line break in a cell is \\n, a formula has an apostrophe in front of it, and escapes of ' +
    'terminals are left out; -o ndjson has each cell as it was.',
  arguments: { campaign: argument('the campaign, by its name', nameOf('campaign')) },
  options: {
    state: option('--state <state>', 'only rows in this state', choice(...rowStates)),
    ...storeOptions,
  },
  examples: [
    { line: 'botctl campaigns results spring', does: 'See every row' },
    {
      line: 'botctl campaigns results spring --state skipped -o csv > skipped.csv',
      does: 'Save who gets nothing, and why',
    },
  ],
  needs: 'identity',
  effect: 'reads',
  output: { kind: 'list', fields: resultFields, empty: { none: 'No row is in that state.' } },
  async prepare(session, input) {
    return { store: await storeOf(session, input), ...(await markedCampaign(session, input)) };
  },
  fieldsOf: ({ campaign }) => fieldsOfRows(campaign.columns),
  async run(_session, { state }, { store, campaign }) {
    const pages = async function* (): AsyncGenerator<readonly Row[]> {
      for await (const page of store.rows(campaign)) {
        const wanted = state === undefined ? page : page.filter((row) => row.state === state);
        yield wanted.map((row) => resultRow(campaign, row));
      }
    };
    return new Batches(pages());
  },
});
