import { defineCommand } from '../../cli/command.ts';
import { searchOption, wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseRows } from '../../cli/list/list-rows.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { warnOfDamage } from '../../resources/devices/book-damage.ts';
import { isThere, lookupHint } from '../../resources/devices/create-once.ts';
import { bookedFields, bookedRow } from './fields.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List the devices of the device book',
  description:
    'The API cannot list devices, so botctl keeps a device book for each service, with the devices that it has created or ' +
    'used. Add others with botctl device add, or use their id in any device command. Names of teams and bots are those at the ' +
    'time when the device was added.',
  options: { name: searchOption('devices'), ...wholeListOptions(bookedFields) },
  examples: [
    { line: 'botctl device list', does: 'See the devices of the service you are signed in to' },
    { line: 'botctl device list reception', does: 'Search by name' },
    { line: 'botctl device list -o id', does: 'Print their ids' },
    {
      line: 'botctl device list -o id | while read -r ID; do botctl device status "$ID"; done',
      does: 'Show the state of each',
    },
  ],
  needs: 'identity',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: bookedFields,
    empty: {
      none: remark`The device book is empty. Create a device with ${command('device', 'create')}, or add one: ${command('device', 'add', placeholder('ID'))}`,
      noMatch: 'No device matches.',
    },
  },
  async run(session, choice) {
    const { devices, terminal } = session;
    warnOfDamage(session);
    for (const intent of await devices.intents())
      terminal.note(remark`${isThere(intent, intent)} ${lookupHint(intent)}`);
    const rows = (await devices.list()).map(bookedRow);
    (await session.shared?.())?.tellRefused();
    return chooseRows(session, rows, choice);
  },
});
