import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { choice, flag, manyOptions, nameOf, option, optionalArgumentList } from '../../cli/options.ts';
import { readNames } from '../../cli/run-several.ts';
import type { BookedDevice } from '../../desk/device-book.ts';
import type { Hooks } from '../../hooks/hooks.ts';
import { Failure } from '../../lib/errors.ts';
import { duration, oneSecondOrMore } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { alreadyConnected } from '../../pairing/already-connected.ts';
import { callWithDeadline } from '../../pairing/call-deadline.ts';
import { noteOthers } from '../../pairing/others.ts';
import {
  followingOptions,
  pairingOptions,
  pictureFileFor,
  refuseWithout,
} from '../../pairing/pairing-options.ts';
import { devicesOfTeam, teamKeyOf } from '../../resources/devices/booked-team.ts';
import { minCallMs } from '../../resources/devices/connection-times.ts';
import { type Device, deviceFor, deviceOf, readAndNote } from '../../resources/devices/device.ts';
import { stateOf } from '../../resources/devices/device-state.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { goals } from '../../resources/devices/device-words.ts';
import { activePairingOfOthers } from '../../resources/devices/other-agents.ts';
import { isPassing } from '../../resources/devices/poll.ts';
import type { SharedWatch } from '../../resources/devices/watch/shared-watch.ts';
import { askForDevice, hintAtNone } from './ask-for-device.ts';
import { fieldsOfAll, pairingFields } from './fields.ts';
import { checkHookOptions, type HookInput, hasHooks, hookOptions } from './watch/hook-options.ts';
import { watchedStateNames } from './watch/state-filter.ts';
import { watchFields } from './watch/watch-row.ts';

export const watch = defineCommand({
  name: 'watch',
  summary: 'Watch devices',
  description:
    'On a terminal, draws the code of a single device until it is paired; shows several devices in a live table ' +
    'without codes. In a script, prints each change as an event. The exit code is 9 if a device is not in the state ' +
    'of --until before --timeout.\n\n' +
    '--exec and --webhook are hooks: they run when the state of a device changes and a second read confirms that. ' +
    'With a hook, --state or --every, a single device is watched without drawing a code. With --all or --team, a ' +
    'device joins when it is added to the device book, and leaves when it is forgotten. More on hooks: botctl help ' +
    'desk.',
  arguments: {
    device: optionalArgumentList(
      'devices, by name or id; - reads them from stdin, one per line',
      nameOf('device'),
    ),
  },
  options: {
    all: flag('--all', 'every device of the device book'),
    team: option(
      '--team <team>',
      'every device of this team in the device book, by name or id',
      nameOf('team'),
    ),
    state: manyOptions(
      '--state <state>',
      'show and report only devices in this state',
      choice(...watchedStateNames),
    ),
    every: option('--every <duration>', 'interval between reads of a device, at least 1s', oneSecondOrMore),
    until: option(
      '--until <state>',
      'end when all devices are in this state; lost is stopped, or down and not reconnecting by itself; default: ready for one device without --every, --state and hooks',
      choice(...goals),
    ),
    timeout: option('--timeout <duration>', 'time limit', duration),
    ...pairingOptions,
    ...hookOptions,
  },
  checkInput: (input) => checkHookOptions(input),
  examples: [
    { line: 'botctl device watch Reception', does: 'Draw the code of a device until it is paired' },
    { line: 'botctl device watch --all', does: 'Watch all devices' },
    {
      line: 'botctl device watch --team Acme --state stopped --state unlinked --every 10s',
      does: 'Show the devices of a team that are down',
    },
    {
      line: 'botctl device watch Reception Counter --until ready --timeout 10m -o ndjson',
      does: 'Wait in a script until both are connected',
    },
    {
      line: 'botctl device watch --all --exec ./notify.sh night-shift',
      does: 'Run ./notify.sh with an argument for each change of a state',
    },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'events',
    fields: fieldsOfAll([...pairingFields, ...watchFields], ['name', 'event', 'state', 'verdict', 'next']),
  },
  async prepare(session, input) {
    const { device: typed, all, until, team, state, every } = input;
    const { devices, isMeant } = await devicesFor(session, typed, all, team);
    const isAlone = !all && team === undefined && devices.length === 1;
    // These options are for continued watching, so the watch does not end with the pairing.
    const goesOn = hasHooks(input) || state.length > 0 || every !== undefined;
    const isPairing = isAlone && !goesOn && (until === undefined || until === 'ready');
    const partner = 'one device that is to be paired';
    if (!isPairing) refuseWithout(partner, input, ['qrFile', 'revealQr', ...followingOptions]);
    const shared = isPairing ? undefined : await sharedWatch(session);
    const hooks = devices.length > 0 && hasHooks(input) ? await hooksFor(session, input, shared) : undefined;
    return { devices, isMeant, isPairing, shared, hooks, file: pictureFileFor(input) };
  },
  confirm: async (_session, _input, { file }) => file?.confirmation(),
  async run(session, input, { devices, isMeant, isPairing, shared, hooks, file }) {
    const { until, timeout, expect, state: states, every: everyMs } = input;
    const [device] = devices;
    if (!device || !isPairing) {
      const { watchMany } = await import('./watch/watch-many.ts');
      return watchMany(session, devices, { until, timeout, shared, hooks, states, everyMs, isMeant });
    }
    const startedAt = session.clock.now();
    const seen = await firstLook(session, device, timeout);
    if (seen && stateOf(seen) === 'ready') {
      const instead = remark`To wait until it is lost: ${command('device', 'watch', device.word, '--until', 'lost')}`;
      return alreadyConnected(session, device, seen, { asEvents: true, expect, timeout, instead });
    }
    const { follow } = await import('../../pairing/follow.ts');
    const hasAnswered = seen !== undefined;
    const others =
      seen && (await noteOthers(session, device, seen, await activePairingOfOthers(session, device, seen)));
    const following = { ...input, timeout, startedAt, justConnected: false, hasAnswered, others, file };
    return follow(session, device, following);
  },
});

/** The devices to watch. */
interface ChosenDevices {
  readonly devices: readonly Device[];
  /** Selects them in the device book, which may change meanwhile; undefined if they were named. */
  readonly isMeant: ((device: BookedDevice) => boolean) | undefined;
}

/**
 * Returns the devices to watch without repetitions; none if they are read from stdin and it is empty.
 * @throws Failure `notFound` or `usage`
 */
async function devicesFor(
  session: Session,
  typed: readonly string[] | undefined,
  all: boolean,
  team: string | undefined,
): Promise<ChosenDevices> {
  if (all || team !== undefined) {
    const flag = all ? '--all' : '--team';
    if (typed)
      throw new Failure('usage', `${flag} and <device> cannot be combined.`, {
        hint: 'Leave out one of them.',
      });
    const book = await session.devices.list();
    if (book.length === 0) throw new Failure('notFound', hintAtNone.message, { hint: hintAtNone.hint });
    const chosen = team === undefined ? book : await devicesOfTeam(book, team, session.askWhich);
    const [first] = chosen;
    const teamKey = first && teamKeyOf(first);
    return {
      devices: chosen.map((device) => deviceOf(device, book)),
      isMeant: (device) => team === undefined || teamKeyOf(device) === teamKey,
    };
  }
  const hint = remark`Name one or more, or use all of the device book: ${command('device', 'watch', '--all')}`;
  const given = typed ?? [await askForDevice(session, hint)];
  const help = command('device', 'watch', '--help');
  const words = await readNames(session.io, 'device', given, help);
  const devices = await Promise.all(words.map((name) => deviceFor(session, name)));
  return { devices: [...new Map(devices.map((device) => [device.id, device])).values()], isMeant: undefined };
}

/** @throws Failure as `openHooks` */
async function hooksFor(
  session: Session,
  input: HookInput,
  shared: SharedWatch | undefined,
): Promise<Hooks | undefined> {
  const { openHooks } = await import('./watch/open-hooks.ts');
  return openHooks(session, input, shared);
}

/** Opens the readings and hook runs that the watchers of a desk share; undefined without a desk. */
async function sharedWatch(session: Session): Promise<SharedWatch | undefined> {
  const desk = await session.shared?.();
  if (!desk) return undefined;
  const { openSharedWatch } = await import('../../resources/devices/watch/shared-watch.ts');
  return openSharedWatch(session, desk);
}

/** Returns the state of a device that will be watched, or undefined if no read succeeds in time. */
async function firstLook(
  session: Session,
  device: Device,
  timeout = Number.POSITIVE_INFINITY,
): Promise<DeviceStatus | undefined> {
  try {
    const limitMs = Math.max(timeout, minCallMs);
    const look = await callWithDeadline(session, limitMs, (until) => readAndNote(session, device, until));
    return 'problem' in look ? undefined : look.value;
  } catch (error) {
    if (!isPassing(error) || session.signal.aborted) throw error;
    return undefined;
  }
}
