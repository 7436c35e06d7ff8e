import { defineCommand } from '../../cli/command.ts';
import { wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseRows } from '../../cli/list/list-rows.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { findDevice } from '../../resources/devices/find-device.ts';
import { historyFields } from './fields.ts';

export const history = defineCommand({
  name: 'history',
  summary: 'List what this machine saw of a device: pairings, losses, refusals',
  description:
    'Whenever botctl reads the status of a device, it notes a change of its state, and a send that was refused, the ' +
    'newest first here; of each device the last 200. The API keeps no history: what happened while nobody looked is not ' +
    'there, but for the last loss, whose time the service tells.',
  arguments: { device: argument('the device, by name or id', nameOf('device')) },
  options: wholeListOptions(historyFields),
  examples: [
    { line: 'botctl device history Reception', does: 'See when and why a device was lost' },
    { line: 'botctl device history Reception --where event=lost -o json', does: 'Its losses for a script' },
  ],
  needs: 'identity',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: historyFields,
    empty: {
      none: remark`Nothing was seen of it yet. Watch it: ${command('device', 'watch', placeholder('<device>'))}`,
      noMatch: 'No event matches.',
    },
  },
  async run(session, { device, ...choice }) {
    const { askWhich, devices, history: seen } = session;
    const { id, name } = await findDevice(devices, device, askWhich);
    const rows = (await seen.list(id)).map(({ at, event, reason, lostAt, phoneNumber }) => ({
      at,
      event,
      reason: reason ?? null,
      // What was lost before a pairing is not of it.
      lost_at: reason === undefined ? null : (lostAt ?? null),
      phone_number: phoneNumber ?? null,
      device_id: id,
      name: name ?? null,
    }));
    return chooseRows(session, rows.toReversed(), choice);
  },
});
