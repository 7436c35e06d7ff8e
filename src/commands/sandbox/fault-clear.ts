import { defineCommand } from '../../cli/command.ts';
import { optionalArgumentList } from '../../cli/options.ts';
import { someText } from '../../lib/parse.ts';
import { callSandbox, dataOption } from './running.ts';

export const faultClear = defineCommand({
  name: 'fault clear',
  summary: 'Remove faults of the running sandbox, or all of them',
  arguments: {
    id: optionalArgumentList('faults to remove, by id; all of them where none is given', someText),
  },
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox fault clear', does: 'Let every call work again' }],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: [{ name: 'cleared', kind: 'number' }] },
  async run(context, { id, data }) {
    const result = await callSandbox(context, data, '/fault/clear', { ids: id });
    context.terminal.done(`Removed ${result.cleared === 1 ? '1 fault' : `${result.cleared} faults`}.`);
    return result;
  },
});
