import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { findDevice } from '../../resources/devices/find-device.ts';

export const forget = defineCommand({
  name: 'forget',
  summary: 'Take a device out of the device book; the device itself stays',
  description:
    "The API can't delete devices: the device lives on, and its pairing with it. Giving its id to a device " +
    'command notes it again.',
  arguments: { device: argument('the device, by name or id', nameOf('device')) },
  examples: [
    { line: 'botctl device forget Counter', does: 'Take a device out after a question' },
    { line: 'botctl device forget Counter --yes', does: 'Take it out in a script' },
  ],
  needs: 'session',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [{ name: 'id', kind: 'id' }, { name: 'name' }, { name: 'forgotten', kind: 'flag' }],
  },
  async prepare({ api, askWhich, settings }, { device }) {
    const found = await findDevice(settings.devices, api.baseUrl, device, askWhich);
    if (!settings.devices.list(api.baseUrl).some(({ id }) => id === found.id)) throw unknown(found.id);
    return found;
  },
  async confirm(_session, _input, { id, name }) {
    const what = name === undefined ? `device ${id}` : `${name} (${id})`;
    return {
      level: 'yes',
      question: `This takes ${what} out of the device book. The device lives on, and only its id leads back to it. Go on?`,
    };
  },
  async run({ api, settings, terminal, clock }, _input, { id, name }) {
    const at = new Date(clock.now()).toISOString();
    const outcome = await settings.devices.forget(api.baseUrl, id, at);
    if (outcome === 'unwritable') throw unwritable(settings.paths.data);
    const isHistoryGone = await settings.history.forget(api.baseUrl, id);
    terminal.done(
      `Forgot ${name === undefined ? `device ${id}` : `${name} (${id})`}. The device itself lives on.`,
    );
    if (!isHistoryGone)
      terminal.warn(`What was seen of it stays in its history: ${settings.paths.data} can't be written.`);
    const called = name === undefined ? [] : ['--name', name];
    terminal.note(remark`To note it again: ${command('device', 'add', id, ...called)}`);
    return { id, name: name ?? null, forgotten: true };
  },
});

function unknown(id: string): Failure {
  return new Failure('notFound', `The device book has no device ${id}.`, {
    hint: remark`See what it has: ${command('device', 'list')}`,
  });
}

function unwritable(directory: string): Failure {
  return new Failure(
    'invalidInput',
    `The device book in ${directory} can't be written. Nothing was forgotten.`,
    {
      hint: 'Check the permissions of that directory.',
    },
  );
}
