import { defineCommand } from '../../cli/command.ts';
import { dataOption, runningSandbox } from './running.ts';
import { stateFields } from './state-fields.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the sandbox that runs: where it is, its time, how much it holds',
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
  async run(context, { data }) {
    const control = await runningSandbox(context, data);
    const { readState } = await import('../../sandbox/control/client.ts');
    return readState(control);
  },
});
