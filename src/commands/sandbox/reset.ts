import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { counted } from '../../lib/text/numbers.ts';
import { remark } from '../../lib/text/remark.ts';
import type { SandboxState } from '../../sandbox/control/calls.ts';
import { stateFields } from './fields.ts';
import { dataOption, runningSandbox } from './running.ts';

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
    const { callControl } = await import('../../sandbox/control/client.ts');
    return { control, state: await callControl(control, '/status', {}) };
  },
  async confirm(_context, _input, { state }) {
    const statement = `The sandbox at ${state.base_url} loses all that it holds: ${contents(state)}.`;
    return { level: 'yes', statement, question: 'Empty it?' };
  },
  async run(context, _input, { control }) {
    const { callControl } = await import('../../sandbox/control/client.ts');
    const state = await callControl(control, '/reset', {});
    context.terminal.done('Emptied the sandbox.');
    warnOfProfiles(context, state);
    noteDevices(context, state);
    return state;
  },
});

/** Warns about each profile of the sandbox whose key is no longer the first one, since the reset deleted it. */
function warnOfProfiles({ settings, terminal }: Context, { data, key_id: keyId }: SandboxState): void {
  for (const profile of settings.profiles.list()) {
    if (profile.sandboxData !== data || profile.keyId === keyId) continue;
    terminal.warn(
      `The key of the profile "${profile.name}" is gone. Start the sandbox again, and it stores the first one there.`,
    );
  }
}

/** Prints a hint if the device book of this machine still lists devices of the sandbox, which are all deleted. */
function noteDevices(context: Context, { base_url: baseUrl }: SandboxState): void {
  const { length } = context.settings.devices.list(baseUrl);
  if (length === 0) return;
  const forget = sandboxCommands(context).api('device', 'forget', '--gone');
  context.terminal.note(
    remark`The device book still lists ${counted(length, 'device')} of this sandbox. Remove them: ${forget}`,
  );
}

/** Returns a sandbox's numbers of rows in words: `1 team, 2 bots`. */
function contents({ teams, bots, documents, devices, messages }: SandboxState): string {
  const held = Object.entries({
    team: teams,
    bot: bots,
    document: documents,
    device: devices,
    message: messages,
  })
    .filter(([, number]) => number > 0)
    .map(([noun, number]) => counted(number, noun));
  return held.length === 0 ? 'keys alone' : held.join(', ');
}
