import { defineCommand } from '../../cli/command.ts';
import { eachOf, nameOf } from '../../cli/options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { noteUnseenPairing, withUnseenPairing } from '../../pairing/others.ts';
import { deviceFor, readAndNote } from '../../resources/devices/device.ts';
import { isStopped, stateOf } from '../../resources/devices/device-state.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { deviceMembers } from '../../resources/devices/event-row.ts';
import { pairingToEnd } from '../../resources/devices/other-agents.ts';
import { transition } from '../../resources/devices/transition.ts';
import { transitionFields } from './fields.ts';

export const disconnect = defineCommand({
  name: 'disconnect',
  summary: 'Disconnect a device from the platform',
  description:
    'The device neither receives nor sends messages until you connect it again, which needs a new scan. If it is already ' +
    'stopped, nothing changes.',
  arguments: { device: eachOf('device, by name or id', nameOf('device')) },
  examples: [
    { line: 'botctl device disconnect Reception', does: 'Disconnect a device, after a question' },
    { line: 'botctl device disconnect Reception --yes', does: 'Disconnect it in a script' },
  ],
  needs: 'api',
  effect: 'changes',
  output: { kind: 'record', fields: transitionFields },
  async prepare(session, { device: typed }) {
    const device = await deviceFor(session, typed);
    return { device, status: await readAndNote(session, device) };
  },
  idOf: ({ device }) => device.id,
  async confirm(session, _input, { device, status }) {
    if (isStopped(status)) return undefined;
    const others = await pairingToEnd(session, device, status);
    const what = `This stops ${device.label}`;
    // The statement includes the code, which becomes invalid.
    if (others !== undefined) return { level: 'yes', statement: `${what} and ${others}.` };
    const statement = await withUnseenPairing(session, device, status, `${what}. ${costs(status)}`);
    return { level: 'yes', statement };
  },
  async run(session, _input, { device, status }) {
    const { terminal, options } = session;
    if (options.yes) await noteUnseenPairing(session, device, status);
    const row = { ...deviceMembers(device), status: 'stopped', message: status.message ?? null };
    if (isStopped(status)) {
      terminal.done(`${device.label} is already stopped.`);
      return row;
    }
    const answer = await transition(session, device, 'disconnectDevice', isStopped, {
      command: 'disconnect',
    });
    terminal.done(`Stopped ${device.label}.`);
    terminal.note(remark`To use it again: ${command('device', 'connect', device.word)}`);
    return answer ? { ...row, ...answer } : { ...row, message: null };
  },
});

/** Returns a description of what is lost. */
function costs(status: DeviceStatus): string {
  if (stateOf(status) === 'waiting') return 'The code that it shows becomes invalid.';
  const phone = status.phoneNumber;
  const who = phone === undefined ? 'Any paired phone' : `Its phone, ${phone},`;
  return `${who} is unlinked, and nothing is received or sent until a new code is scanned.`;
}
