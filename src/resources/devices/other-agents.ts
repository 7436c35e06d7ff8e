import { actorText } from '../../desk/actor.ts';
import { commandIn, type DeviceCommand } from '../../desk/device-history.ts';
import { Failure } from '../../lib/errors.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import { shortDuration } from '../../lib/time.ts';
import type { ResourceContext } from '../resource-context.ts';
import { pairingTimeoutMs } from './connection-times.ts';
import type { Device } from './device.ts';
import { type StateName, stateOf } from './device-state.ts';
import type { DeviceStatus } from './device-status.ts';

/** A command for a device from another person, or from another machine. */
export interface ForeignCommand {
  readonly command: DeviceCommand;
  /** The operator, on one line. */
  readonly by: string;
  /** The host, on one line. */
  readonly from: string | undefined;
  /** The time in milliseconds since 1970 by the clock of this machine. */
  readonly at: number;
}

type HistoryContext = Pick<ResourceContext, 'history' | 'clock'>;

/** Milliseconds during which the connect of another person is reported. */
const recentMs = 5 * 60_000;

/** Milliseconds after which an observed stop did not result from a command, even if the service is slow. */
const stopMs = 60_000;

/** Tolerance in milliseconds between clocks, to decide whether a command came during a pairing. */
const toleranceMs = 2000;

/** The pauses before the history is read again: another machine records its command after the response. */
const pausesMs = [0, 400, 1200] as const;

/** The maximum width of a name in a sentence. */
const maxName = 64;

/**
 * Returns another person's connect or repair if it was the last command for the device, in the last five minutes.
 * @param withinMs a shorter time
 */
export function recentPairingOfOthers(
  context: HistoryContext,
  { id }: Pick<Device, 'id'>,
  withinMs = recentMs,
): Promise<ForeignCommand | undefined> {
  return lastCommandOfOthers(context, id, isPairing, Math.min(withinMs + toleranceMs, recentMs));
}

/** As `recentPairingOfOthers`, for a device with this status. A stopped or paired device is not being paired. */
export async function activePairingOfOthers(
  context: HistoryContext,
  device: Pick<Device, 'id'>,
  status: DeviceStatus,
): Promise<ForeignCommand | undefined> {
  return isUnpaired(status) ? recentPairingOfOthers(context, device) : undefined;
}

/**
 * Returns what a disconnect would end if another person is pairing the device: `ends the pairing that Ana (front-2) began 8 s ago`;
 * undefined if nobody else is, or the device is already paired.
 */
export async function pairingToEnd(
  context: HistoryContext,
  { id }: Pick<Device, 'id'>,
  status: DeviceStatus,
): Promise<string | undefined> {
  if (!isUnpaired(status)) return undefined;
  const other = await lastCommandOfOthers(context, id, isPairing, pairingTimeoutMs);
  if (!other) return undefined;
  return `ends the pairing that ${describeCommand(other)} began ${shortDuration(context.clock.now() - other.at)} ago`;
}

/** Returns whether a device is started and not paired yet. */
export function isUnpaired(status: DeviceStatus): boolean {
  return unpaired.has(stateOf(status));
}

const unpaired: ReadonlySet<StateName> = new Set<StateName>(['starting', 'waiting', 'connecting']);

/**
 * Returns the command of another person that stopped a device while it was being paired; undefined if there was none.
 * @param elapsedMs how long the pairing has lasted
 */
export async function stopByOthers(
  { history, clock, signal }: Pick<ResourceContext, 'history' | 'clock' | 'signal'>,
  { id }: Pick<Device, 'id'>,
  elapsedMs: number,
): Promise<ForeignCommand | undefined> {
  const within = Math.min(elapsedMs + toleranceMs, stopMs);
  for (const pause of pausesMs) {
    if (pause > 0) await clock.sleep(pause, signal);
    const stop = await lastCommandOfOthers({ history, clock }, id, isStop, within);
    if (stop) return stop;
  }
  return undefined;
}

/** Returns the command of another person that stopped a device just now, if the history has it already. */
export function recentStopOfOthers(
  context: HistoryContext,
  { id }: Pick<Device, 'id'>,
): Promise<ForeignCommand | undefined> {
  return lastCommandOfOthers(context, id, isStop, stopMs);
}

/** Returns the person and the machine of a command: `Ana (front-2)`. */
export function describeCommand({ by, from }: ForeignCommand): string {
  return actorText(by, from) ?? by;
}

/** Returns a command in words, without a full stop: `Ana (front-2) connected it 8 s ago`. @param now milliseconds since 1970 */
export function commandText(other: ForeignCommand, now: number): string {
  return `${describeCommand(other)} ${verbs[other.command]} it ${shortDuration(now - other.at)} ago`;
}

const verbs: Readonly<Record<DeviceCommand, string>> = {
  connect: 'connected',
  disconnect: 'disconnected',
  repair: 'restarted',
};

const isPairing = (command: DeviceCommand): boolean => command !== 'disconnect';
const isStop = (command: DeviceCommand): boolean => command !== 'connect';

/** Returns the last command for a device if another person gave it, it is of the right kind, and recent. */
async function lastCommandOfOthers(
  { history, clock }: HistoryContext,
  id: string,
  isMeant: (command: DeviceCommand) => boolean,
  withinMs: number,
): Promise<ForeignCommand | undefined> {
  try {
    const last = (await history.list(id)).findLast((event) => commandIn(event) !== undefined);
    const command = last && commandIn(last);
    if (!last?.by || command === undefined || !isMeant(command)) return undefined;
    const me = history.actor();
    if (last.by === me.by && last.from === me.host) return undefined;
    const agoMs = Math.max(0, (await history.now()) - Date.parse(last.at));
    // An invalid time is never within the limit.
    if (!(agoMs <= withinMs)) return undefined;
    const from = last.from === undefined ? undefined : oneLine(last.from, maxName);
    const by = oneLine(last.by, maxName) || 'another person';
    return { command, by, from: from || undefined, at: clock.now() - agoMs };
  } catch (error) {
    // If the history can't be read, the command still goes on.
    if (error instanceof Failure && !error.isInterruption) return undefined;
    throw error;
  }
}
