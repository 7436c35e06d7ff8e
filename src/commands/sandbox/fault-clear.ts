import { defineCommand } from '../../cli/command.ts';
import { optionalArgumentList } from '../../cli/options.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { callSandbox, dataOption } from './running.ts';

export const faultClear = defineCommand({
  name: 'fault clear',
  summary: 'Remove faults of the sandbox',
  arguments: {
    id: optionalArgumentList('ids of the faults (default: all)', nonEmptyText),
  },
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox fault clear', does: 'Remove all faults' }],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: [{ name: 'cleared', kind: 'number' }] },
  async run(context, { id, data }) {
    const result = await callSandbox(context, data, '/fault/clear', { ids: id });
    context.terminal.done(`Removed ${result.cleared === 1 ? '1 fault' : `${result.cleared} faults`}.`);
    return result;
  },
});
