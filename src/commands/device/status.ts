import { defineCommand } from '../../cli/command.ts';
import { flag, nameOf, optionalEachOf } from '../../cli/options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { deviceFor, readAndNote } from '../../resources/devices/device.ts';
import { askForDevice, hintAtNone } from './ask-for-device.ts';
import { fieldsOfAll, statusFields } from './fields.ts';
import { stateRow, unreadRow } from './status-rows.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the state of devices',
  description:
    'Says in words how a device is and what to do next; `state` says it in a word for scripts: ' +
    'never_connected, stopped, starting, waiting, connecting, reconnecting, ready, unlinked, taken_over, blocked, limited, ' +
    'contradictory or unknown; not_found and unreachable where it could not be read. A QR code is shown as a fingerprint ' +
    'only. To see each change: botctl device watch, which --watch stands for.',
  arguments: { device: optionalEachOf('the devices, by name or id', nameOf('device')) },
  options: {
    all: flag('--all', 'every device of the device book'),
    revealQr: flag('--reveal-qr', 'print the code itself, with which anybody can take the device over'),
  },
  examples: [
    { line: 'botctl device status Reception', does: 'Show the state of a device' },
    { line: 'botctl device status --all', does: 'Show the state of each device that this machine knows' },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'record',
    fields: fieldsOfAll(statusFields, ['name', 'state', 'verdict', 'next']),
    drawSeveral: async (rows, canvas) => (await import('./watch/status-table.ts')).drawStates(rows, canvas),
  },
  standsFor: {
    option: 'all',
    async things({ settings, api, terminal }) {
      const book = settings.devices.list(api.baseUrl);
      if (book.length === 0) terminal.note(remark`${hintAtNone.message} ${hintAtNone.hint}`);
      return book.map(({ id }) => id);
    },
  },
  failedRow: unreadRow,
  async prepare(session, { device: typed }) {
    const all = command('device', 'status', '--all');
    const hint = remark`Name one or several, or take all of the device book: ${all}`;
    return deviceFor(session, typed?.[0] ?? (await askForDevice(session, hint)));
  },
  idOf: ({ id }) => id,
  run: async (session, { revealQr }, device) =>
    stateRow(session, device, await readAndNote(session, device), revealQr),
});
