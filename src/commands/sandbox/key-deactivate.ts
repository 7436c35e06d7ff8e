import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { callSandbox, dataOption } from './running.ts';

export const keyDeactivate = defineCommand({
  name: 'key deactivate',
  summary: 'Deactivate an API key',
  description:
    'The sandbox then rejects the key and its access tokens. The API has no such call; on a platform the operator does this.',
  arguments: { key: argument('id or exact name of the key', nameOf('key')) },
  options: { data: dataOption },
  examples: [
    {
      line: 'botctl sandbox key deactivate ci',
      does: 'Test what callers see when their key is deactivated',
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
