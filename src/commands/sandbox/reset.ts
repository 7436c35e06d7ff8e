import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { protectedProfileQuestion } from '../../cli/profile-changes.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { openDesk } from '../../desk/open-desk.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { remark } from '../../lib/text/remark.ts';
import type { SandboxState } from '../../sandbox/control/calls.ts';
import { originOf } from '../../settings/base-url.ts';
import type { Profile } from '../../settings/profile.ts';
import { stateFields } from './fields.ts';
import { dataOption, runningSandbox } from './running.ts';

export const reset = defineCommand({
  name: 'reset',
  summary: 'Delete everything in the sandbox',
  description:
    'Only its first API key is left, with its access tokens. Faults are removed too, and the clock is set to the time of ' +
    'this machine. The request log is kept.',
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox reset --yes', does: 'Empty the sandbox in a script' }],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: stateFields },
  async prepare(context, { data }) {
    const control = await runningSandbox(context, data);
    const { callControl } = await import('../../sandbox/control/client.ts');
    return { control, state: await callControl(control, '/status', {}) };
  },
  async confirm(context, _input, { state }) {
    const statement = `This deletes everything in the sandbox at ${state.base_url}: ${contents(state)}.`;
    const guard = profilesOf(context, state).find(({ settings }) => settings?.protected);
    if (!guard) return { level: 'yes', statement, question: 'Empty it?' };
    const question = protectedProfileQuestion(guard);
    return { ...question, statement: `${question.statement} ${statement}` };
  },
  async run(context, _input, { control }) {
    const { callControl } = await import('../../sandbox/control/client.ts');
    const state = await callControl(control, '/reset', {});
    context.terminal.done('Emptied the sandbox.');
    context.settings.names.forget(state.base_url);
    warnOfProfiles(context, state);
    await noteDevices(context, state);
    return state;
  },
});

/**
 * Returns the profiles of a sandbox: those that it stored itself, and those of a later login at its address. A profile
 * that another sandbox stored is not one of them, although both may have had the same port.
 */
function profilesOf({ settings }: Context, { data, base_url: baseUrl }: SandboxState): readonly Profile[] {
  return settings.profiles
    .list()
    .filter((profile) =>
      profile.sandboxData === undefined
        ? originOf(profile.baseUrl) === originOf(baseUrl)
        : profile.sandboxData === data,
    );
}

/** Warns about each profile of the sandbox with a key other than the first one, since the reset deleted it. */
function warnOfProfiles(context: Context, state: SandboxState): void {
  for (const { name, sandboxData, keyId } of profilesOf(context, state)) {
    if (sandboxData === undefined || keyId === state.key_id) continue;
    context.terminal.warn(
      `The key of profile "${name}" was deleted. To save the first key there, start the sandbox again.`,
    );
  }
}

/** Prints a hint if the device book of this machine still lists devices of the sandbox, which are all deleted. */
async function noteDevices(context: Context, { base_url: baseUrl }: SandboxState): Promise<void> {
  const { length } = await openDesk({ ...context, identity: { baseUrl } }).devices.list();
  if (length === 0) return;
  const forget = sandboxCommands(context).api('device', 'forget', '--gone');
  context.terminal.note(
    remark`The device book still lists ${pluralize(length, 'device')} of this sandbox. Remove them: ${forget}`,
  );
}

/** Returns the numbers of rows of a sandbox as text: `1 team, 2 bots`. */
function contents({ teams, bots, documents, devices, messages }: SandboxState): string {
  const held = Object.entries({
    team: teams,
    bot: bots,
    document: documents,
    device: devices,
    message: messages,
  })
    .filter(([, number]) => number > 0)
    .map(([noun, number]) => pluralize(number, noun));
  return held.length === 0 ? 'keys alone' : held.join(', ');
}
