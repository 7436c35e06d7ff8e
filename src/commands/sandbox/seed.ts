import { defineCommand } from '../../cli/command.ts';
import { option } from '../../cli/options.ts';
import { integer, someText } from '../../lib/parse.ts';
import { dataOption, runningSandbox } from './running.ts';

/** What is made where no number is given. */
const usualCounts = { teams: 3, bots: 5, documents: 5 };

const anyCount = integer({ min: 0, max: 1_000_000 });

export const seed = defineCommand({
  name: 'seed',
  summary: 'Fill the running sandbox with teams, bots and documents',
  description:
    'Makes 3 teams, 5 bots and 5 documents if no number is given. Bots and documents are spread over the new teams or, where none are made, over those that exist. Names, texts and ' +
    'quotas are the same each time; ids, e-mail addresses and phone numbers come from --seed: the same numbers and the same ' +
    'text make rows of the same ids in an empty sandbox. Without it they are others each time.',
  options: {
    teams: option('--teams <number>', 'teams to make, each with its administrator', anyCount),
    bots: option('--bots <number>', 'bots to make', anyCount),
    docs: option('--docs <number>', 'documents to make', anyCount),
    seed: option(
      '--seed <text>',
      'what the ids come from: the same ones for the same text, which serves a sandbox once',
      someText,
    ),
    data: dataOption,
  },
  examples: [
    { line: 'botctl sandbox seed', does: 'Make a few of each' },
    {
      line: 'botctl sandbox seed --teams 100 --bots 300 --docs 500',
      does: 'Make lists worth paging through',
    },
    {
      line: 'botctl sandbox seed --teams 3 --bots 5 --docs 5 --seed monday',
      does: 'Make the same rows in each run of a test',
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
    const filling = context.terminal.progress('Filling the sandbox');
    return callControl(control, '/seed', { ...counts, seed }).finally(() => filling.stop());
  },
});
