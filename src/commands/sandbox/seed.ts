import { defineCommand } from '../../cli/command.ts';
import { option, optionOr } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { integer, someText } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { dataOption, exampleCounts, runningSandbox } from './running.ts';

const anyCount = integer({ min: 0, max: 1_000_000 });

export const seed = defineCommand({
  name: 'seed',
  summary: 'Fill the running sandbox with teams, bots and documents',
  description:
    'Bots and documents are spread over the new teams or, where none are made, over those that exist. Names, texts and ' +
    'quotas are the same each time; ids, e-mail addresses and phone numbers come from --seed: the same numbers and the same ' +
    'text make rows of the same ids in an empty sandbox. Without it they are others each time.',
  options: {
    teams: optionOr('--teams <number>', 'teams to make, each with its administrator', 0, anyCount),
    bots: optionOr('--bots <number>', 'bots to make', 0, anyCount),
    docs: optionOr('--docs <number>', 'documents to make', 0, anyCount),
    seed: option(
      '--seed <text>',
      'what the ids come from: the same ones for the same text, which serves a sandbox once',
      someText,
    ),
    data: dataOption,
  },
  examples: [
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
    if (teams + bots + docs === 0) {
      throw new Failure('usage', 'Nothing to make.', {
        hint: remark`Give numbers: ${command('sandbox', 'seed', ...exampleCounts)}`,
      });
    }
    const control = await runningSandbox(context, data);
    const { callControl } = await import('../../sandbox/control/client.ts');
    const filling = context.terminal.progress('Filling the sandbox');
    const request = { teams, bots, documents: docs, seed };
    return callControl(control, '/seed', request).finally(() => filling.stop());
  },
});
