import { defineCommand } from '../../cli/command.ts';
import { wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseArriving } from '../../cli/list/list-rows.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import { optOutFields, optOutRow, optOutsOf } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List the numbers that are not to be written to',
  options: { ...wholeListOptions(optOutFields), ...storeOptions },
  examples: [
    { line: 'botctl optouts list', does: 'See every number' },
    { line: 'botctl optouts list -o csv > optouts.csv', does: 'Save them, for optouts import elsewhere' },
  ],
  needs: 'identity',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: optOutFields,
    empty: {
      none: remark`Nobody has opted out. To note a number: ${command('optouts', 'add', placeholder('<number>'))}`,
      noMatch: 'No number matches.',
    },
  },
  async run(session, { database, ...choice }) {
    const optOuts = await optOutsOf(session, { database });
    const pages = async function* (): AsyncGenerator<readonly Row[]> {
      for await (const page of optOuts.list()) yield page.map(optOutRow);
    };
    return chooseArriving(session, pages(), choice);
  },
});
