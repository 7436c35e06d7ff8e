import { defineCommand } from '../../cli/command.ts';
import { warnOfDamage } from '../../resources/devices/book-damage.ts';
import { originOf } from '../../settings/base-url.ts';
import { bookedRow, exportedFields } from './fields.ts';

export const exportDevices = defineCommand({
  name: 'export',
  summary: 'Print the devices of the device book for another machine',
  description:
    'The API has no list of devices, so a device that a colleague made is seen only by its id. What this prints, device ' +
    'import takes in elsewhere: ids, and the names of devices, teams and bots; never a token. Forgotten devices are left out.',
  examples: [
    { line: 'botctl device export', does: 'See what a colleague would get' },
    { line: 'botctl device export > devices.json', does: 'Write it to a file for device import' },
  ],
  needs: 'identity',
  effect: 'reads',
  output: { kind: 'list', fields: exportedFields },
  format: () => 'json',
  async run(session) {
    const { devices, identity } = session;
    warnOfDamage(session);
    const service = originOf(identity.baseUrl);
    return (await devices.list()).map((device) => ({
      service,
      ...bookedRow(device),
      noted_at: device.notedAt ?? device.seenAt,
    }));
  },
});
