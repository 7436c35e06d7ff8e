import type { Context } from '../../cli/context.ts';
import { counted, groupedNumber } from '../../lib/text/numbers.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { SandboxState } from '../../sandbox/control/protocol.ts';
import type { ControlAddress } from '../../sandbox/sandbox.ts';
import { naming, runningSandbox } from './running.ts';

/** A sandbox, and how it is. */
export interface FoundSandbox {
  readonly control: ControlAddress;
  readonly state: SandboxState;
}

/**
 * Finds the sandbox whose contents a command is to take away, with what it holds.
 * @throws Failure as `runningSandbox`
 */
export async function findFilled(context: Context, data: string | undefined): Promise<FoundSandbox> {
  const control = await runningSandbox(context, data);
  const { readState } = await import('../../sandbox/control/client.ts');
  return { control, state: await readState(control) };
}

/** Returns what is lost, as the question says it before the command is done. */
export function lossOf(state: SandboxState): string {
  return `The sandbox at ${state.base_url} loses all that it holds: ${contents(state)}.`;
}

/**
 * Warns of each profile of a sandbox whose key has gone with its contents.
 * @param isGone says so of a key by its id
 */
export function warnOfProfiles(
  { settings, terminal }: Context,
  { data }: SandboxState,
  isGone: (keyId: string) => boolean,
): void {
  for (const profile of settings.profiles.list()) {
    if (profile.sandboxData !== data || !isGone(profile.keyId)) continue;
    terminal.warn(
      `The key of the profile "${profile.name}" is gone. Start the sandbox again, and it stores the first one there.`,
    );
  }
}

/** Returns the ids of the devices that the device book of this machine has of a sandbox. */
export function bookedDevices({ settings }: Context, { base_url: baseUrl }: SandboxState): readonly string[] {
  return settings.devices.list(baseUrl).map(({ id }) => id);
}

/**
 * Says that the device book of this machine still has devices of a sandbox that lost them. They stay in it: an import
 * may bring them back, by the same ids.
 */
export function noteLostDevices(context: Context, ids: readonly string[], data: string | undefined): void {
  const [first, ...others] = ids;
  if (first === undefined) return;
  const many = others.length === 0 ? '1 device' : `${groupedNumber(others.length + 1)} devices`;
  const line = command(...naming(context, data)(['device', 'forget', '--gone']));
  context.terminal.note(
    remark`The device book still has ${many} of it from before, for when that is imported again. Take those that it doesn't have out: ${line}`,
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
