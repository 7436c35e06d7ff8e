import { defineCommand } from '../../command.ts';
import { argument, nameOf } from '../../input/options.ts';
import { type Device, deviceFor, readStatus, remember } from './device.ts';
import { transitionFields } from './fields.ts';
import { type StatusView, stateOf } from './state.ts';
import { isStopped, transition } from './transition.ts';
import { phoneOf, typedAs } from './words.ts';

export const disconnect = defineCommand({
  name: 'disconnect',
  summary: 'Stop a device and detach it from the platform',
  description:
    'Messages are neither received nor sent until it is connected again, which takes a new scan. One that is ' +
    'stopped already is left as it is.',
  arguments: { device: argument('the device, by name or id', nameOf('device')) },
  examples: [
    { line: 'botctl device disconnect Reception', does: 'Stop a device after a question' },
    { line: 'botctl device disconnect Reception --yes', does: 'Stop it in a script' },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'record', fields: transitionFields },
  async prepare(session, { device: typed }) {
    const device = deviceFor(session, typed, 'write');
    const view = await readStatus(session, device, session.signal);
    await remember(session, device);
    return { device, view };
  },
  async confirm(_session, _input, { device, view }) {
    if (isStopped(view)) return undefined;
    return { level: 'yes', question: `This stops ${device.label}. ${costs(view)} Go on?` };
  },
  async run(session, _input, { device, view }) {
    const { terminal } = session;
    const row = { ...named(device), status: 'stopped', message: view.message ?? null };
    if (isStopped(view)) {
      terminal.done(`${device.label} is stopped already.`);
      return row;
    }
    const answer = await transition(session, device, 'disconnectDevice', isStopped);
    terminal.done(`Stopped ${device.label}.`);
    terminal.note(`To use it again: botctl device connect ${typedAs(device)}`);
    return answer ? { ...row, ...answer } : { ...row, message: null };
  },
});

function named({ id, name }: Device): { readonly device_id: string; readonly name?: string } {
  return { device_id: id, ...(name !== undefined && { name }) };
}

/** What is lost. */
function costs(view: StatusView): string {
  if (stateOf(view) === 'waiting') return 'The code that it shows becomes worthless.';
  const phone = phoneOf(view.phone_number);
  const who = phone === undefined ? 'A phone that is paired with it' : `Its phone, ${phone},`;
  return `${who} is unlinked: it neither receives nor sends until somebody scans a new code.`;
}
