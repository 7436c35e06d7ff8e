import { randomUUID } from 'node:crypto';
import type { Session } from '../../../cli/context.ts';
import type { BookedDevice } from '../../../desk/device-book.ts';
import type { HookChange } from '../../../hooks/hook-run.ts';
import type { Hooks } from '../../../hooks/hooks.ts';
import { Failure } from '../../../lib/errors.ts';
import { command, remark } from '../../../lib/text/remark.ts';
import { shortDuration } from '../../../lib/time.ts';
import type { Row } from '../../../output/fields.ts';
import { type Device, readStatus } from '../../../resources/devices/device.ts';
import { stateOf } from '../../../resources/devices/device-state.ts';
import type { Goal } from '../../../resources/devices/device-words.ts';
import { hintAtMissing } from '../../../resources/devices/missing.ts';
import { noteSeenDevice } from '../../../resources/devices/note-device.ts';
import {
  activePairingOfOthers,
  describeCommand,
  recentStopOfOthers,
} from '../../../resources/devices/other-agents.ts';
import { followBook } from '../../../resources/devices/watch/follow-book.ts';
import type { SharedWatch } from '../../../resources/devices/watch/shared-watch.ts';
import {
  type ConfirmedChange,
  type Pace,
  paceOf,
  sharedPauseMs,
  usualRps,
  type WatchEvent,
  watchDevices,
} from '../../../resources/devices/watch/watch-devices.ts';
import { StateFilter } from './state-filter.ts';
import { openWatchView } from './view.ts';
import { watchRow } from './watch-row.ts';
import { type WatchedState, WatchedStates } from './watched-states.ts';

/** Options of watching many devices. */
export interface ManyOptions {
  readonly until: Goal | undefined;
  /** In milliseconds; undefined for no limit. */
  readonly timeout: number | undefined;
  /** The state that the watchers of a desk share; undefined without a desk. */
  readonly shared: SharedWatch | undefined;
  /** The hooks that run for each confirmed change of a state. */
  readonly hooks?: Hooks | undefined;
  /** The states whose devices are shown and reported; an empty list means all. */
  readonly states?: readonly WatchedState[];
  /**
   * The interval between two reads of a device, in milliseconds. If undefined, the interval grows while the state stays
   * the same.
   */
  readonly everyMs?: number | undefined;
  /** Selects the watched devices of the device book; undefined if they were named. */
  readonly isMeant?: ((device: BookedDevice) => boolean) | undefined;
}

/** How long after a change another read confirms it for hooks, in milliseconds. */
const confirmMs = 2000;

/**
 * Watches devices without showing a code. On a terminal they are a table, whose last states remain there.
 * @returns a row for each change, but none if a table shows them
 * @throws Failure if the service rejects all requests, the user leaves, or a state is not reached
 */
export async function* watchMany(
  session: Session,
  devices: readonly Device[],
  manyOptions: ManyOptions,
): AsyncGenerator<Row> {
  const { clock, options, terminal } = session;
  if (devices.length === 0) {
    terminal.note('There is no device to watch.');
    return;
  }
  const { until, timeout, hooks, shared, states: only = [] } = manyOptions;
  const everyMs = manyOptions.everyMs ?? (shared && sharedPauseMs);
  const filter = new StateFilter(only);
  const current = new Map(devices.map((device) => [device.id, device]));
  const paceNow = (): Pace => paceOf(current.size, { everyMs, maxRps: options.maxRps });
  const pace = paceNow();
  if (manyOptions.everyMs !== undefined && pace.fromMs > manyOptions.everyMs)
    terminal.note(tooOften(devices.length, options.maxRps, pace));
  const states = new WatchedStates(devices, options, (state) => filter.has(state));
  const view = await openWatchView(session, states, {
    title: () => titleOf([...current.values()], manyOptions, paceNow()),
    whyAway: () => shared?.whyAway(),
  });
  const known = new Set<string>();
  let last: WatchEvent | undefined;
  let left: Failure | undefined;
  try {
    await session.history.preload(devices.map(({ id }) => id));
    const watching = watchDevices(devices, {
      read: (device, signal) => readStatus(session, device, signal),
      clock,
      signal: AbortSignal.any([session.signal, view.signal]),
      until,
      timeout,
      maxRps: options.maxRps,
      confirmMs: hooks && confirmMs,
      everyMs,
      shared,
      changes: (signal) => followBook(session, devices, manyOptions.isMeant, signal),
      onRenamed: (device, next) => {
        current.set(device.id, device);
        states.rename(device, next);
      },
      onShared: (device, source) => states.observe(device, source, clock.now()),
    });
    for await (const watched of watching) {
      if (watched.kind === 'changed') {
        if (filter.has(watched.diagnosis.state) || filter.has(watched.was))
          hooks?.fire(hookChangeOf(watched));
        continue;
      }
      const event = await withOthers(session, watched);
      last = event;
      if (event.kind === 'added') current.set(event.device.id, event.device);
      if (event.kind === 'forgotten') current.delete(event.device.id);
      states.take(event);
      const isTaken = filter.takes(event);
      if (isTaken) view.show(event);
      // Each call parses the whole device book, so devices that it already has are skipped.
      if (event.kind === 'state' && !event.device.isBooked && !known.has(event.device.id)) {
        known.add(event.device.id);
        await noteSeenDevice(session, event.device);
      }
      if (isTaken && !view.coversTerminal) yield watchRow(event, until, options, states.sourceOf(event));
    }
  } catch (error) {
    // A user who leaves wants to keep the content of the screen.
    if (!(error instanceof Failure) || error.kind !== 'declined') throw error;
    left = error;
  } finally {
    const isInterrupted = session.signal.aborted || view.signal.aborted;
    view.close();
    await hooks?.close({ isInterrupted, urgent: session.io.urgent });
  }
  if (view.coversTerminal) {
    const { writeStates } = await import('./live-table.ts');
    await writeStates(session, states);
  }
  const failure = left ?? failureAfter(last, until);
  if (failure) throw failure;
}

/**
 * Adds to the event of a device the other user who is pairing it or, if it was stopped meanwhile, the one who stopped
 * it, if the history has one.
 */
async function withOthers<Event extends WatchEvent>(session: Session, event: Event): Promise<Event> {
  if (event.kind !== 'state') return event;
  const { device, status, diagnosis, was } = event;
  const isStop = diagnosis.state === 'stopped' && was !== undefined;
  const others = isStop
    ? await recentStopOfOthers(session, device)
    : await activePairingOfOthers(session, device, status);
  // The time is omitted, because a table would not update it.
  const by = others && `; ${isStop ? 'disconnected' : 'connected'} by ${describeCommand(others)}`;
  return by === undefined ? event : { ...event, diagnosis: { ...diagnosis, text: diagnosis.text + by } };
}

/** Returns a change in the form that hooks receive. */
function hookChangeOf(event: ConfirmedChange): HookChange {
  const { at, device, diagnosis, status, was } = event;
  const { id, name, team, label } = device;
  return {
    id: event.id ?? randomUUID(),
    device: { id, name, team, label },
    state: diagnosis.state,
    was,
    reason: reasonOf(event),
    phoneNumber: status.phoneNumber,
    at,
  };
}

const begun: ReadonlySet<string> = new Set(['starting', 'waiting', 'connecting']);

/** Returns the reason of the last disconnect, or undefined if the new state has ended that disconnect. */
function reasonOf({ diagnosis, status, was }: ConfirmedChange): string | undefined {
  const state = stateOf(status);
  const isBegun = begun.has(state) || diagnosis.state === 'connecting';
  // A device that was paired and shows a code now has lost its pairing.
  const isLost = was === 'ready' || was === 'reconnecting';
  return state === 'ready' || (isBegun && !isLost) ? undefined : status.lastDisconnectReason;
}

/** Returns the title of a watch: `Watching 12 devices, each read every 5 s`. */
function titleOf(devices: readonly Device[], { until, states = [] }: ManyOptions, pace: Pace): string {
  const [first] = devices;
  const isOne = devices.length === 1;
  const what = isOne && first ? first.label : `${devices.length} devices`;
  const goal = until === undefined ? '' : ` until ${isOne ? 'it is' : 'all are'} ${until}`;
  const names = states.map((state) => state.replaceAll('_', ' '));
  const only = names.length === 0 ? '' : `, showing only ${new Intl.ListFormat('en-GB').format(names)}`;
  return `Watching ${what}${goal}${only}, ${isOne ? '' : 'each '}read every ${paceWords(pace)}`;
}

/** Returns a pace as text: `5 s`, `1 to 30 s`. */
function paceWords({ fromMs, toMs }: Pace): string {
  const [from, to] = [shortDuration(fromMs), shortDuration(toMs)];
  if (from === to) return to;
  return `${from.replace(/^(\d+) s$/, '$1')} to ${to}`;
}

/** Returns the note for an interval that botctl's limit of requests per second (`--max-rps`) does not allow. */
function tooOften(count: number, maxRps: number | undefined, { fromMs }: Pace): string {
  const rate = maxRps ?? usualRps;
  const requests = rate === 1 ? '1 request' : `${rate} requests`;
  const [devices, verb, them] = count === 1 ? ['1 device', 'is', 'it'] : [`${count} devices`, 'are', 'them'];
  return `${devices} at ${requests} a second ${verb} read every ${Math.round(fromMs / 1000)} s. To read ${them} more often, raise --max-rps.`;
}

/** The maximum number of devices that a sentence names. */
const maxNamed = 5;

function failureAfter(last: WatchEvent | undefined, until: Goal | undefined): Failure | undefined {
  if (last?.kind !== 'timeout' && last?.kind !== 'failed') return undefined;
  if (until === undefined) {
    // Without an expected state, reaching the timeout is not a failure.
    return last.kind === 'timeout'
      ? undefined
      : new Failure('notFound', last.reason, { hint: hintAtMissing('--all') });
  }
  if (last.missing.length === 0)
    return new Failure('notReached', 'No device is left to watch: all were forgotten.');
  const named = last.missing.slice(0, maxNamed);
  const more = last.missing.length - named.length;
  const labels = [...named.map(({ label }) => label), ...(more > 0 ? [`${more} more`] : [])];
  // British English has no comma before the last one.
  const subject = new Intl.ListFormat('en-GB').format(labels);
  const verb = last.missing.length === 1 ? 'is' : 'are';
  const look = command('device', 'status', ...(more > 0 ? ['--all'] : named.map(({ word }) => word)));
  const message =
    last.kind === 'timeout'
      ? `${subject} ${verb} not ${until} after ${shortDuration(last.after)}.`
      : `${subject} can't become ${until}: ${last.reason}`;
  return new Failure('notReached', message, { hint: remark`See why: ${look}` });
}
