import { defineCommand } from '../../cli/command.ts';
import { option } from '../../cli/options.ts';
import { integer, nonEmptyText } from '../../lib/parse.ts';
import { dataOption, runningSandbox } from './running.ts';

/** The default numbers of objects. */
const usualCounts = { teams: 3, bots: 5, documents: 5 };

const anyCount = integer({ min: 0, max: 1_000_000 });

export const seed = defineCommand({
  name: 'seed',
  summary: 'Add sample data to the sandbox',
  description:
    'Creates 3 teams, 5 bots and 5 documents if no number is given. Bots and documents are spread over the new teams, or ' +
    'over the existing teams if none is created. With --seed the ids, e-mail addresses and phone numbers are repeatable: ' +
    'the same numbers and the same text give the same rows in an empty sandbox.',
  options: {
    teams: option('--teams <number>', 'number of teams, each with an administrator', anyCount),
    bots: option('--bots <number>', 'number of bots', anyCount),
    docs: option('--docs <number>', 'number of documents', anyCount),
    seed: option('--seed <text>', 'seed of the ids; works once per sandbox (default: random)', nonEmptyText),
    data: dataOption,
  },
  examples: [
    { line: 'botctl sandbox seed', does: 'Add a few of each' },
    {
      line: 'botctl sandbox seed --teams 100 --bots 300 --docs 500',
      does: 'Add enough for several pages',
    },
    {
      line: 'botctl sandbox seed --teams 3 --bots 5 --docs 5 --seed monday',
      does: 'Add the same rows in each run of a test',
    },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'teams', kind: 'number' },
      { name: 'bots', kind: 'number' },
      { name: 'documents', kind: 'number' },
    ],
  },
  async run(context, { teams, bots, docs, seed, data }) {
    const isAnyGiven = (teams ?? bots ?? docs) !== undefined;
    const counts = isAnyGiven ? { teams: teams ?? 0, bots: bots ?? 0, documents: docs ?? 0 } : usualCounts;
    const control = await runningSandbox(context, data);
    const { callControl } = await import('../../sandbox/control/client.ts');
    const filling = context.terminal.progress('Adding sample data');
    return callControl(control, '/seed', { ...counts, seed }).finally(() => filling.stop());
  },
});
