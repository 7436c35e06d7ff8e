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
    'The API cannot delete devices, so the device itself and its pairing stay. A forgotten device stays out of the ' +
    'book, even if a command uses its id: only device add, device create, tenants apply and device import --restore ' +
    'add it again. With --gone, botctl asks the service for each device of the book, and removes those that the API ' +
    'key in use cannot see. One answer may be wrong, so a device must be missing twice, a minute apart: the command ' +
    'waits if necessary.',
  arguments: { device: optionalEachOf('devices, by name or id', nameOf('device')) },
  options: { gone: flag('--gone', "every device that the service doesn't have") },
  examples: [
    { line: 'botctl device forget Counter', does: 'Remove a device, after a question' },
    { line: 'botctl device forget Counter --yes', does: 'Remove it in a script' },
    { line: 'botctl device forget --gone', does: 'Remove those that are gone, as after sandbox reset' },
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
      const { findGoneDevices } = await import('../../resources/devices/gone.ts');
      const gone = await findGoneDevices(session);
      if (gone.length === 0) session.terminal.note('The service has every device of the device book.');
      return gone;
    },
  },
  async prepare(session, { device, gone }) {
    const { devices } = session;
    const [typed] = device ?? [
      await askForDevice(
        session,
        remark`Name one or more, or remove those that the service doesn't have: ${command('device', 'forget', '--gone')}`,
      ),
    ];
    const found = gone
      ? await findDevice(devices, typed ?? '', undefined)
      : await findUsedDevice(session, typed ?? '');
    if (!(await devices.list()).some(({ id }) => id === found.id)) {
      const hint = remark`List the devices: ${command('device', 'list')}`;
      throw new Failure('notFound', `The device book has no device ${found.id}.`, { hint });
    }
    return found;
  },
  idOf: ({ id }) => id,
  async confirm({ shared }, { gone }, { id, name }) {
    const what = name === undefined ? `device ${id}` : `${name} (${id})`;
    const kept = shared
      ? 'The device itself is not deleted. All users of the desk lose it from their device book.'
      : 'The device itself is not deleted, but to find it again you need its id.';
    const why = gone ? 'The service does not have it, or this API key cannot see it.' : kept;
    return { level: 'yes', statement: `This removes ${what} from the device book. ${why}` };
  },
  async run({ devices, history, settings, terminal, clock }, { gone }, device) {
    const { id, name } = device;
    const at = new Date(clock.now()).toISOString();
    const outcome = await devices.forget(id, at);
    if (outcome === 'unwritable') throw await devices.unwritable();
    const forgotten = await history.forget(id);
    const what = name === undefined ? `device ${id}` : `${name} (${id})`;
    terminal.done(`Forgot ${what}.${gone ? '' : ' The device itself is not deleted.'}`);
    if (forgotten === 'shared') terminal.note('Its history stays in the desk until it expires.');
    if (forgotten === 'unwritable')
      terminal.warn(`Its history is not deleted: ${settings.paths.data} can't be written.`);
    // Ids are safer: a name may no longer exist or may be ambiguous.
    const members = { name, team: device.teamId ?? device.teamName, bot: device.botId ?? device.botName };
    const options = Object.entries(members).flatMap(([option, value]) =>
      value === undefined ? [] : [`--${option}`, value],
    );
    if (!gone) terminal.note(remark`To add it again: ${command('device', 'add', id, ...options)}`);
    return { id, name: name ?? null, forgotten: true };
  },
});
