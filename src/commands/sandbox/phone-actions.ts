import { type Command, defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { openDesk } from '../../desk/open-desk.ts';
import { remark } from '../../lib/text/remark.ts';
import type { PhoneAction } from '../../sandbox/phone/actions.ts';
import { callSandbox, dataOption } from './running.ts';

/** A command of the phone: what a person does there, or the network to the device that is paired with it. */
interface PhoneCommand {
  readonly action: PhoneAction;
  readonly summary: string;
  readonly description: string;
  /** The description of its example. */
  readonly does: string;
  /** The message after a change. */
  done(device: string): string;
  /** The message if nothing changed. */
  already(device: string): string;
}

const phoneCommands: readonly PhoneCommand[] = [
  {
    action: 'unlink',
    summary: 'Remove a device from the linked devices of its phone',
    description:
      'The device is stopped with the reason "401 logged out". To use it again it has to be connected and ' +
      'paired again.',
    does: 'See what a device looks like that the customer removed',
    done: (device) => `The phone has unlinked ${device}, which is stopped now.`,
    already: (device) => `${device} is unlinked already.`,
  },
  {
    action: 'offline',
    summary: 'Cut the connection of a paired device',
    description:
      'It stays started and logged in, is not connected, and carries no code, so there is nothing to ' +
      'scan: wait for it. "phone online" brings it back.',
    does: 'See a device that is paired, and offline',
    done: (device) => `${device} is offline.`,
    already: (device) => `${device} is offline already.`,
  },
  {
    action: 'online',
    summary: 'Bring a device back that went offline',
    description:
      'It also confirms a scan that was made with "phone scan --stall". A device whose place another session ' +
      'has taken, or that is blocked, stays disconnected.',
    does: 'Bring it back',
    done: (device) => `${device} is connected.`,
    already: (device) => `${device} is connected already.`,
  },
  {
    action: 'takeover',
    summary: 'Let another session take the place of a device',
    description:
      'It stays started and logged in, and is not connected: "440 conflict: replaced by another session". It ' +
      'does not come back by itself; disconnect and connect it, and pair it again.',
    does: 'See a device whose session was taken over',
    done: (device) => `Another session has taken the place of ${device}.`,
    already: (device) => `Another session has taken the place of ${device} already.`,
  },
  {
    action: 'block',
    summary: 'Let the messaging app block the number of a device',
    description:
      'It is cut off with the reason "402 temporarily banned", and sending answers FORBIDDEN. That lasts until ' +
      '"phone unblock", even if the device is paired again.',
    does: 'See a device whose number is blocked',
    done: (device) => `The messaging app blocks the number of ${device}.`,
    already: (device) => `The number of ${device} is blocked already.`,
  },
  {
    action: 'unblock',
    summary: 'Let the messaging app unblock the number of a device',
    description: 'A device that the block has cut off is connected again.',
    does: 'Bring it back',
    done: (device) => `The number of ${device} is not blocked any more.`,
    already: (device) => `The number of ${device} is not blocked.`,
  },
];

function definePhoneCommand({ action, summary, description, does, done, already }: PhoneCommand): Command {
  return defineCommand({
    name: `phone ${action}`,
    summary,
    description,
    arguments: { device: argument('the device in the sandbox, by id or exact name', nameOf('device')) },
    options: { data: dataOption },
    examples: [{ line: `botctl sandbox phone ${action} Reception`, does }],
    needs: 'nothing',
    effect: 'changes',
    output: {
      kind: 'record',
      fields: [
        { name: 'device_id', kind: 'id' },
        { name: 'name' },
        { name: 'status', kind: 'state' },
        { name: 'connected', kind: 'flag' },
        { name: 'logged_in', kind: 'flag' },
        { name: 'blocked', kind: 'flag' },
        { name: 'last_disconnect_reason' },
      ],
    },
    async run(context, { device, data }) {
      const { changed, ...now } = await callSandbox(context, data, '/phone', { action, device });
      if (changed) context.terminal.done(done(now.name));
      else context.terminal.note(already(now.name));
      if (action === 'unblock') {
        const { base_url: baseUrl } = await callSandbox(context, data, '/status', {});
        const { devices } = openDesk({ ...context, identity: { baseUrl } });
        await devices.dropRefusals(({ id }) => id === now.device_id);
      }
      context.terminal.note(remark`See it: ${sandboxCommands(context).api('device', 'status', now.name)}`);
      return now;
    },
  });
}

export const phoneActions: readonly Command[] = phoneCommands.map(definePhoneCommand);
