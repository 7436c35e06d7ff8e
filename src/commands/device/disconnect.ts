import { defineCommand } from '../../command.ts';
import { argument, nameOf } from '../../options.ts';
import { deviceFor, readStatus, remember } from './device.ts';
import { transitionFields } from './fields.ts';
import { phoneOf } from './words.ts';

export const disconnect = defineCommand({
  name: 'disconnect',
  summary: 'Stop a device and detach it from the platform',
  description: 'Messages are neither received nor sent until it is connected again, which takes a new scan.',
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
    if (view.status === 'stopped') return undefined;
    const phone = phoneOf(view.phone_number);
    return {
      level: 'yes',
      question: `This stops ${device.label}${phone ? `, paired as ${phone}` : ''}; to use it again it has to be paired anew. Go on?`,
    };
  },
  async run({ api, terminal, signal }, _input, { device, view }) {
    const name = device.name !== undefined && { name: device.name };
    if (view.status === 'stopped') {
      terminal.done(`${device.label} is stopped already.`);
      return { device_id: device.id, ...name, status: 'stopped', message: view.message ?? null };
    }
    const { data } = await api.call('disconnectDevice', { path: { id: device.id }, signal });
    terminal.done(`Stopped ${device.label}.`);
    return { ...name, ...data };
  },
});
