import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import type { SandboxState } from '../../sandbox/control/protocol.ts';
import { contents } from './contents.ts';
import { dataOption, runningSandbox } from './running.ts';
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
  async prepare(context, { data }) {
    const control = await runningSandbox(context, data);
    const { readState } = await import('../../sandbox/control/client.ts');
    return { control, state: await readState(control) };
  },
  async confirm(_context, _input, { state }) {
    return {
      level: 'yes',
      question: `The sandbox at ${state.base_url} loses all that it holds: ${contents(state)}. Empty it?`,
    };
  },
  async run(context, _input, { control }) {
    const { resetSandbox } = await import('../../sandbox/control/client.ts');
    const state = await resetSandbox(control);
    context.terminal.done('Emptied the sandbox.');
    warnOfProfiles(context, state);
    return state;
  },
});

/** A profile may have got another key since, which is gone with the rest. */
function warnOfProfiles({ settings, terminal }: Context, { data, key_id: keyId }: SandboxState): void {
  for (const profile of settings.profiles.list()) {
    if (profile.sandboxData !== data || profile.keyId === keyId) continue;
    terminal.warn(
      `The key of the profile "${profile.name}" is gone. Start the sandbox again, and it stores the first one there.`,
    );
  }
}
