import { defineCommand } from '../../cli/command.ts';
import { stateFields } from './fields.ts';
import { callSandbox, dataOption } from './running.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the state of the sandbox',
  description:
    'Shows its address, its clock and how many objects it has. "profiles list" shows the addresses of all sandboxes with a ' +
    'profile.',
  options: { data: dataOption },
  examples: [
    { line: 'botctl sandbox status', does: 'Check whether the sandbox is running' },
    {
      line: 'botctl sandbox status --data ./sandbox -o json',
      does: 'Check the sandbox of a directory in a script',
    },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'record', fields: stateFields },
  run: (context, { data }) => callSandbox(context, data, '/status', {}),
});
