import { type Command, defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { openDesk } from '../../desk/open-desk.ts';
import { remark } from '../../lib/text/remark.ts';
import type { PhoneAction } from '../../sandbox/phone/actions.ts';
import { callSandbox, dataOption } from './running.ts';

/** A command of the simulated phone: an action of its user, or of the messaging network on the paired device. */
interface PhoneCommand {
  readonly action: PhoneAction;
  readonly summary: string;
  readonly description: string;
  /** The description of the example. */
  readonly does: string;
  /** The message after a change. */
  done(device: string): string;
  /** The message if nothing changed. */
  already(device: string): string;
}

const phoneCommands: readonly PhoneCommand[] = [
  {
    action: 'unlink',
    summary: 'Unlink a device on its phone',
    description:
      'Removes the device from the linked devices of its phone, as a customer may do. The device stops with the ' +
      'reason "401 logged out". To use it again, connect and pair it.',
    does: 'Test a device that the customer removed',
    done: (device) => `Unlinked ${device}. It is stopped.`,
    already: (device) => `${device} is already unlinked.`,
  },
  {
    action: 'offline',
    summary: 'Cut the connection of a paired device',
    description:
      'The device stays started and logged in, but is not connected and has no code to scan. "phone online" reconnects it.',
    does: 'Test a paired device that is offline',
    done: (device) => `${device} is offline.`,
    already: (device) => `${device} is already offline.`,
  },
  {
    action: 'online',
    summary: 'Reconnect an offline device',
    description:
      'It also confirms a scan made with "phone scan --stall". A device that is blocked, or that another session ' +
      'replaced, stays disconnected.',
    does: 'Reconnect a device',
    done: (device) => `${device} is connected.`,
    already: (device) => `${device} is already connected.`,
  },
  {
    action: 'takeover',
    summary: 'Replace the session of a device',
    description:
      'The device stays started and logged in, but is not connected: "440 conflict: replaced by another session". To use ' +
      'it again, disconnect, connect and pair it.',
    does: 'Test a device whose session was replaced',
    done: (device) => `Another session replaced ${device}.`,
    already: (device) => `Another session already replaced ${device}.`,
  },
  {
    action: 'block',
    summary: 'Block the number of a device',
    description:
      'Blocks the number, as the messaging app may do. The device disconnects with the reason "402 temporarily ' +
      'banned", and send fails with FORBIDDEN. That lasts until "phone unblock", even if the device is paired again.',
    does: 'Test a device whose number is blocked',
    done: (device) => `Blocked the number of ${device}.`,
    already: (device) => `The number of ${device} is already blocked.`,
  },
  {
    action: 'unblock',
    summary: 'Unblock the number of a device',
    description: 'The device connects again if the block disconnected it.',
    does: 'Unblock a number',
    done: (device) => `Unblocked the number of ${device}.`,
    already: (device) => `The number of ${device} is not blocked.`,
  },
];

function definePhoneCommand({ action, summary, description, does, done, already }: PhoneCommand): Command {
  return defineCommand({
    name: `phone ${action}`,
    summary,
    description,
    arguments: { device: argument('id or exact name of the device', nameOf('device')) },
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
      context.terminal.note(
        remark`Show its state: ${sandboxCommands(context).api('device', 'status', now.name)}`,
      );
      return now;
    },
  });
}

export const phoneActions: readonly Command[] = phoneCommands.map(definePhoneCommand);
