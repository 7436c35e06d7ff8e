import { defineCommand } from '../../cli/command.ts';
import { bookedDevices, findFilled, lossOf, noteLostDevices, warnOfProfiles } from './emptying.ts';
import { dataOption } from './running.ts';
import { stateFields } from './state-fields.ts';

export const reset = defineCommand({
  name: 'reset',
  summary: 'Empty the running sandbox',
  description:
    'It is then as a new one: only the key that it began with is left, with the tokens that it has. Faults ' +
    'and behaviour are as at its start, and its clock goes back to the time of this machine. The request log stays.',
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox reset --yes', does: 'Begin again with nothing, in a script' }],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: stateFields },
  prepare: (context, { data }) => findFilled(context, data),
  async confirm(_context, _input, { state }) {
    return { level: 'yes', statement: lossOf(state), question: 'Empty it?' };
  },
  async run(context, { data }, { control }) {
    const { resetSandbox } = await import('../../sandbox/control/client.ts');
    const state = await resetSandbox(control);
    context.terminal.done('Emptied the sandbox.');
    // A profile may have got another key since, which is gone with the rest.
    warnOfProfiles(context, state, (keyId) => keyId !== state.key_id);
    noteLostDevices(context, bookedDevices(context, state), data);
    return state;
  },
});
