import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { callSandbox, dataOption } from './running.ts';

export const keyDeactivate = defineCommand({
  name: 'key deactivate',
  summary: 'Deactivate an API key, as the platform does outside the API',
  description: 'Its calls are refused from then on, with the tokens that it has already.',
  arguments: { key: argument('key to deactivate, by id or exact name', nameOf('key')) },
  options: { data: dataOption },
  examples: [
    {
      line: 'botctl sandbox key deactivate ci',
      does: 'See what a caller sees whose key was switched off',
    },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [{ name: 'key_id', kind: 'id' }, { name: 'name' }, { name: 'is_active', kind: 'flag' }],
  },
  async run(context, { key, data }) {
    const deactivated = await callSandbox(context, data, '/deactivate', { key });
    context.terminal.done(`Deactivated key ${deactivated.name}.`);
    return deactivated;
  },
});
