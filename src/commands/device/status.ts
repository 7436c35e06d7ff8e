import { defineCommand, withFailure } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { flag, nameOf, optionalEachOf } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { type Device, deviceFor, deviceOf, readAndNote } from '../../resources/devices/device.ts';
import { askForDevice, hintAtNone } from './ask-for-device.ts';
import { fieldsOfAll, statusFields } from './fields.ts';
import { stateRow, unreadRow } from './status-rows.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the state of devices',
  description:
    'Shows the state of a device in words, and what to do next. For scripts, `state` is one word: ' +
    'never_connected, stopped, starting, waiting, connecting, reconnecting, ready, unlinked, taken_over, blocked, limited, ' +
    'contradictory or unknown; not_found or unreachable if it could not be read. A QR code is shown only as a fingerprint. ' +
    'To see each change, use botctl device watch.',
  arguments: { device: optionalEachOf('devices, by name or id', nameOf('device')) },
  options: {
    all: flag('--all', 'every device of the device book'),
    revealQr: flag('--reveal-qr', 'print the text of the code, with which anyone can take over the device'),
  },
  examples: [
    { line: 'botctl device status Reception', does: 'Show the state of a device' },
    { line: 'botctl device status --all', does: 'Show the state of every device' },
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
    async things({ devices, terminal }) {
      const book = await devices.list();
      if (book.length === 0) terminal.note(remark`${hintAtNone.message} ${hintAtNone.hint}`);
      return book.map(({ id }) => id);
    },
  },
  async prepare(session, { device: typed, all: isAll }) {
    const all = command('device', 'status', '--all');
    const hint = remark`Name one or more, or use all of the device book: ${all}`;
    const name = typed?.[0] ?? (await askForDevice(session, hint));
    // With --all the user has not typed the id, so it does not count as resolving a name.
    if (isAll) return bookedDevice(session, name);
    return unlessOneOfSeveral(session, name, () => deviceFor(session, name));
  },
  preload: ({ history }, devices) =>
    history.preload(devices.flatMap((device) => ('id' in device ? [device.id] : []))),
  idOf: (device) => ('id' in device ? device.id : device.typed),
  async run(session, { revealQr }, device) {
    (await session.shared?.())?.tellRefused();
    if (!('id' in device))
      return withFailure(await unreadRow(session, device.typed, device.failure), device.failure);
    const status = await unlessOneOfSeveral(session, device.id, () => readAndNote(session, device));
    return 'failure' in status
      ? withFailure(await unreadRow(session, status.typed, status.failure), status.failure)
      : stateRow(session, device, status, revealQr);
  },
});

/** Returns a device of the device book by its id. */
async function bookedDevice({ devices }: Session, id: string): Promise<Device> {
  const book = await devices.list();
  return deviceOf(book.find((device) => device.id === id) ?? { id }, book);
}

/** A device that could not be found or read. */
interface Unread {
  readonly typed: string;
  readonly failure: Failure;
}

/** Returns the failure as a value if several devices were given, since each has its own row; otherwise throws it. */
async function unlessOneOfSeveral<T>(
  session: Session,
  typed: string,
  look: () => Promise<T>,
): Promise<T | Unread> {
  try {
    return await look();
  } catch (thrown) {
    const isOwn = thrown instanceof Failure && !thrown.isInterruption && thrown.kind !== 'declined';
    if (!isOwn || !session.isOneOfSeveral || thrown.kind === 'unexpected') throw thrown;
    return { typed, failure: thrown };
  }
}
