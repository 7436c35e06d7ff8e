import { defineCommand } from '../../cli/command.ts';
import { warnOfDamage } from '../../resources/devices/book-damage.ts';
import { originOf } from '../../settings/base-url.ts';
import { bookedRow, exportedFields } from './fields.ts';

export const exportDevices = defineCommand({
  name: 'export',
  summary: 'Export the device book',
  description:
    'The API cannot list devices, so other machines do not know the devices that you created. device import reads this output ' +
    'there. It has ids and the names of devices, teams and bots, but never a token. Forgotten devices are left out.',
  examples: [
    { line: 'botctl device export', does: 'See the export' },
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
