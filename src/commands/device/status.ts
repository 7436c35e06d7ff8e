import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { choice, flag, nameOf, option, optionalEachOf } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { duration } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { alreadyConnected } from '../../pairing/already-connected.ts';
import { inTime } from '../../pairing/in-time.ts';
import {
  followingOptions,
  pairingOptions,
  pictureFileFor,
  refuseWithout,
} from '../../pairing/pairing-options.ts';
import { minCallMs } from '../../resources/devices/connection-times.ts';
import { type Device, deviceFor, deviceOf, readAndNote } from '../../resources/devices/device.ts';
import { stateOf } from '../../resources/devices/device-state.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { goals } from '../../resources/devices/device-words.ts';
import { isPassing } from '../../resources/devices/poll.ts';
import { askForDevice } from './ask-for-device.ts';
import { fieldsOfAll, pairingFields, statusFields } from './fields.ts';
import { readStates, stateRow, unreadRow } from './status-rows.ts';
import { watchFields } from './watch/watch-row.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the state of devices, or watch them',
  description:
    'Says in words how a device is and what to do next; `state` says it in a word for scripts: ' +
    'never_connected, stopped, starting, waiting, connecting, reconnecting, ready, unlinked, taken_over, blocked, limited, ' +
    'contradictory or unknown; not_found and unreachable where it could not be read. A QR code is shown as a fingerprint only. With --watch on a terminal the code of a ' +
    'single device is drawn until it is paired; many devices are a table that is kept up to date, without codes. ' +
    'Elsewhere each change is one event, and the last one says how it ended. Exit code 9: not in that state in time.',
  arguments: { device: optionalEachOf('the devices, by name or id', nameOf('device')) },
  options: {
    all: flag('--all', 'every device of the device book'),
    watch: flag('--watch', 'show each change'),
    until: option(
      '--until <state>',
      'watch until all are in this state; one device alone: ready',
      choice(...goals),
    ),
    timeout: option('--timeout <duration>', 'stop watching after this long', duration),
    ...pairingOptions,
  },
  examples: [
    { line: 'botctl device status Reception', does: 'Show the state of a device' },
    { line: 'botctl device status Reception --watch', does: 'Draw its code until it is paired' },
    { line: 'botctl device status --all', does: 'Show the state of each device that this machine knows' },
    { line: 'botctl device status --watch --all', does: 'Keep an eye on all of them' },
    {
      line: 'botctl device status Reception Counter --watch --until ready --timeout 10m -o ndjson',
      does: 'Wait in a script until both are connected',
    },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'events',
    fields: fieldsOfAll(
      [...statusFields, ...pairingFields, ...watchFields],
      ['name', 'event', 'state', 'verdict', 'next'],
    ),
    states: statusFields.map(({ name }) => name),
    drawStates: async (rows, canvas) => (await import('./watch/status-table.ts')).drawStates(rows, canvas),
  },
  together: (input) => isWatching(input) || input.all,
  failedRow: unreadRow,
  async prepare(session, input) {
    const { device: typed, all, until } = input;
    const watch = isWatching(input);
    const devices = await devicesFor(session, typed, all);
    const isPairing = watch && !all && devices.length === 1 && (until === undefined || until === 'ready');
    if (devices.length === 0) {
      const hint = remark`Note one: ${command('device', 'add', placeholder('<device>'))}`;
      const none = 'The device book has no device of this service.';
      if (watch) throw new Failure('notFound', none, { hint });
      session.terminal.note(remark`${none} ${hint}`);
    }
    if (!watch) refuseWithout('--watch', input, ['timeout', 'qrFile', ...followingOptions]);
    else if (!isPairing) {
      const pairing = '--watch of one device that is to be paired';
      refuseWithout(pairing, input, ['qrFile', 'revealQr', ...followingOptions]);
    }
    return { devices, isPairing, file: pictureFileFor(input) };
  },
  confirm: async (_session, _input, { file }) => file?.confirmation(),
  async run(session, input, { devices, isPairing, file }) {
    const { all, until, timeout, expect, revealQr } = input;
    const [device] = devices;
    if (device && isPairing) {
      const begun = session.clock.now();
      const seen = await firstLook(session, device, timeout);
      if (seen && stateOf(seen) === 'ready')
        return alreadyConnected(session, device, seen, { asEvents: true, expect, timeout });
      const { follow } = await import('../../pairing/follow.ts');
      return follow(session, device, {
        ...input,
        timeout,
        begun,
        justConnected: false,
        hasAnswered: seen !== undefined,
        file,
      });
    }
    if (isWatching(input)) {
      const { watchMany } = await import('./watch/watch-many.ts');
      return watchMany(session, devices, { until, timeout });
    }
    if (!device || all) return readStates(session, devices, revealQr);
    return stateRow(session, device, await readAndNote(session, device), revealQr);
  },
});

/** True if the devices are watched: --until says for how long. */
function isWatching({ watch, until }: { readonly watch: boolean; readonly until: unknown }): boolean {
  return watch || until !== undefined;
}

/**
 * Returns the devices that were named, each once.
 * @throws Failure `notFound` or `usage`
 */
async function devicesFor(
  session: Session,
  typed: readonly string[] | undefined,
  all: boolean,
): Promise<readonly Device[]> {
  if (all) {
    if (typed)
      throw new Failure('usage', 'Devices were named, and --all was given.', { hint: 'Take one away.' });
    const book = session.settings.devices.list(session.api.baseUrl);
    return book.map((device) => deviceOf(device, book));
  }
  const names = typed ?? [
    await askForDevice(
      session,
      remark`Name one or several, or take all of the device book: ${command('device', 'status', '--all')}`,
    ),
  ];
  const devices = await Promise.all(names.map((name) => deviceFor(session, name)));
  return [...new Map(devices.map((device) => [device.id, device])).values()];
}

/** Returns the state of a device that is going to be watched, or undefined if the service can't be asked in time. */
async function firstLook(
  session: Session,
  device: Device,
  timeout = Number.POSITIVE_INFINITY,
): Promise<DeviceStatus | undefined> {
  try {
    const limitMs = Math.max(timeout, minCallMs);
    const look = await inTime(session, limitMs, (until) => readAndNote(session, device, until));
    return 'problem' in look ? undefined : look.value;
  } catch (error) {
    if (!isPassing(error) || session.signal.aborted) throw error;
    return undefined;
  }
}
