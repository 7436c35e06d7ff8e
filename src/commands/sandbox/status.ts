import { defineCommand } from '../../cli/command.ts';
import { stateFields } from './fields.ts';
import { callSandbox, dataOption } from './running.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the state of the running sandbox',
  description:
    'Its address, its time, and how much it holds. "profiles list" shows the address of each sandbox that has a profile.',
  options: { data: dataOption },
  examples: [
    { line: 'botctl sandbox status', does: 'See whether one runs, and where' },
    {
      line: 'botctl sandbox status --data ./sandbox -o json',
      does: 'The same of a certain one, for a script',
    },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'record', fields: stateFields },
  run: (context, { data }) => callSandbox(context, data, '/status', {}),
});
