import { defineCommand } from '../../cli/command.ts';
import { flag, nameOf, optionalEachOf } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { findDevice } from '../../resources/devices/find-device.ts';
import { findUsedDevice } from '../../resources/devices/find-used-device.ts';
import { askForDevice } from './ask-for-device.ts';

export const forget = defineCommand({
  name: 'forget',
  summary: 'Remove devices from the device book',
  description:
    "The API can't delete devices: the device lives on, and its pairing with it. It stays out of the book, " +
    'even if a command uses its id or a file has it: only device add, device create, tenants apply and device import --restore ' +
    'bring it back. With --gone the service is asked for each device of the book, and those that it does ' +
    'not have, as far as the API key in use sees it, are taken out. One answer may be wrong, so they have to be ' +
    'missing twice, a minute apart: if no earlier command found them missing, this one waits.',
  arguments: { device: optionalEachOf('the devices, by name or id', nameOf('device')) },
  options: { gone: flag('--gone', "every device of the book that the service doesn't have") },
  examples: [
    { line: 'botctl device forget Counter', does: 'Take a device out after a question' },
    { line: 'botctl device forget Counter --yes', does: 'Take it out in a script' },
    { line: 'botctl device forget --gone', does: 'Take out those that are gone, as after sandbox reset' },
  ],
  needs: 'api',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [{ name: 'id', kind: 'id' }, { name: 'name' }, { name: 'forgotten', kind: 'flag' }],
  },
  standsFor: {
    option: 'gone',
    async things(session) {
      const { goneDevices } = await import('../../resources/devices/gone.ts');
      const gone = await goneDevices(session);
      if (gone.length === 0) session.terminal.note('The service has every device of the device book.');
      return gone;
    },
  },
  async prepare(session, { device, gone }) {
    const { devices } = session;
    const [typed] = device ?? [
      await askForDevice(
        session,
        remark`Name one or several, or take out those that the service doesn't have: ${command('device', 'forget', '--gone')}`,
      ),
    ];
    const found = gone
      ? await findDevice(devices, typed ?? '', undefined)
      : await findUsedDevice(session, typed ?? '');
    if (!(await devices.list()).some(({ id }) => id === found.id)) {
      const hint = remark`See what it has: ${command('device', 'list')}`;
      throw new Failure('notFound', `The device book has no device ${found.id}.`, { hint });
    }
    return found;
  },
  idOf: ({ id }) => id,
  async confirm({ shared }, { gone }, { id, name }) {
    const what = name === undefined ? `device ${id}` : `${name} (${id})`;
    const kept = shared
      ? 'The device lives on. It leaves the device book of the whole desk.'
      : 'The device lives on, and only its id leads back to it.';
    const why = gone ? 'The service does not have it, as far as this API key sees it.' : kept;
    return { level: 'yes', statement: `This takes ${what} out of the device book. ${why}` };
  },
  async run({ devices, history, settings, terminal, clock }, { gone }, device) {
    const { id, name } = device;
    const at = new Date(clock.now()).toISOString();
    const outcome = await devices.forget(id, at);
    if (outcome === 'unwritable') throw await devices.unwritable();
    const forgotten = await history.forget(id);
    const what = name === undefined ? `device ${id}` : `${name} (${id})`;
    terminal.done(`Forgot ${what}.${gone ? '' : ' The device itself lives on.'}`);
    if (forgotten === 'shared')
      terminal.note('Its history stays in the desk for as long as the desk keeps events.');
    if (forgotten === 'unwritable')
      terminal.warn(`What was seen of it stays in its history: ${settings.paths.data} can't be written.`);
    // By ids, if they are known: a name may be gone, or that of several.
    const members = { name, team: device.teamId ?? device.teamName, bot: device.botId ?? device.botName };
    const options = Object.entries(members).flatMap(([option, value]) =>
      value === undefined ? [] : [`--${option}`, value],
    );
    if (!gone) terminal.note(remark`To note it again: ${command('device', 'add', id, ...options)}`);
    return { id, name: name ?? null, forgotten: true };
  },
});
