import { ServiceError } from '../../client/answer.ts';
import type { DeviceCommand } from '../../desk/device-history.ts';
import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import { shortDuration } from '../../lib/time.ts';
import type { ResourceContext } from '../resource-context.ts';
import { stopTimeoutMs } from './connection-times.ts';
import { awaitStatus, type Device, readStatus } from './device.ts';
import { isStopped, stateOf } from './device-state.ts';
import type { DeviceStatus } from './device-status.ts';
import { noteCommand } from './note-history.ts';

/** The service refuses to connect a device because it is already connected, although its status is stopped. */
export class Contradiction extends Failure {
  /** The message without the name of the device. */
  readonly text: string;

  constructor(device: Device, refused: Failure) {
    const said = refused.cause instanceof ServiceError ? refused.cause.message : refused.message;
    const text = `its state is contradictory: its status is stopped, but it can't be connected ("${oneLine(said, maxQuoted)}")`;
    super('rejected', `${device.label}: ${text}.`, {
      cause: refused,
      code: refused.code,
      status: refused.status,
      hint: remark`Disconnect it and connect it again: ${command('device', 'repair', device.word)}`,
    });
    this.text = text;
  }
}

/** The maximum length of a quoted refusal. */
const maxQuoted = 100;

/** Matches refusals of a call because its effect is already there. */
const isDoneAlready = /(^|\P{L})(already|já|ya)(\P{L}|$)/iu;

/** Options of `transition`. */
interface TransitionOptions {
  readonly signal?: AbortSignal;
  /** The user's command; undefined for a step that botctl takes by itself. */
  readonly command?: DeviceCommand | undefined;
}

/**
 * Connects or disconnects a device. If that is refused, or the response is lost, a status read decides the
 * outcome: another process may have done the same, or the call may have taken effect anyway.
 * @param isDone returns whether a status is the goal of the call
 * @param options `signal` ends the work; `command` is recorded in the history of the device unless the call had no effect
 * @returns the response, or undefined if the status decided
 * @throws Failure of the call if the device doesn't exist; `Contradiction`
 */
export async function transition(
  context: ResourceContext,
  device: Device,
  call: 'connectDevice' | 'disconnectDevice',
  isDone: (status: DeviceStatus) => boolean,
  { signal = context.signal, command: told }: TransitionOptions = {},
): Promise<JsonObject | undefined> {
  const noteTold = async (reason?: string): Promise<void> => {
    if (told !== undefined) await noteCommand(context, device.id, told, reason);
  };
  try {
    const { data } = await context.api.call(call, { path: { id: device.id }, signal });
    await noteTold();
    if (!context.signal.aborted) return data;
  } catch (error) {
    const isLost = error instanceof Failure && error.kind === 'network';
    const mayBeDone = isLost || (error instanceof Failure && error.kind === 'rejected');
    if (!mayBeDone || signal.aborted) throw error;
    const status = await readStatus(context, device, signal).catch(() => undefined);
    const isTaken = status !== undefined && isDone(status);
    // If the service refuses because it is already done, another command did it.
    if (isLost && (isTaken || status === undefined)) await noteTold(isTaken ? undefined : error.message);
    if (isTaken) return undefined;
    const isContradictory =
      call === 'connectDevice' && error.kind === 'rejected' && isDoneAlready.test(error.message);
    throw isContradictory && status && isStopped(status) ? new Contradiction(device, error) : error;
  }
  // The command was interrupted, so its result is not read.
  const ended: unknown = context.signal.reason;
  const look = remark`The service accepted the call. Check the result: ${command('device', 'status', device.id)}`;
  throw ended instanceof Failure ? ended.withHint(look) : ended;
}

/**
 * Starts a device. Returns false if it was already started, or if the response is lost.
 * @param command the user's command
 * @throws Failure
 */
export async function start(
  context: ResourceContext,
  device: Device,
  signal: AbortSignal,
  command?: DeviceCommand,
): Promise<boolean> {
  const isStarted = (status: DeviceStatus): boolean => !isStopped(status);
  const answer = await transition(context, device, 'connectDevice', isStarted, { signal, command });
  return answer !== undefined;
}

/**
 * Makes a device show new codes: disconnects it, waits until it has stopped, connects it. A ready device
 * is not changed.
 * @param requestedByUser true to pair a device again that is paired but not connected
 * @throws Failure
 */
export async function startOver(
  context: ResourceContext,
  device: Device,
  requestedByUser: boolean,
  signal: AbortSignal,
): Promise<void> {
  const status = await readStatus(context, device, signal);
  const state = stateOf(status);
  const isPaired = state === 'ready' || state === 'connecting' || state === 'reconnecting';
  if (state === 'ready' || (isPaired && !requestedByUser)) return;
  const wasStopped = isStopped(status);
  await stop(context, device, status, signal, requestedByUser ? 'repair' : undefined);
  await start(context, device, signal, requestedByUser && wasStopped ? 'connect' : undefined);
}

/**
 * Disconnects a device unless it is already stopped, and waits until the service shows that it has stopped.
 * @param status the current status
 * @param command the user's command
 * @throws Failure, `notReached` if it doesn't stop
 */
export async function stop(
  context: ResourceContext,
  device: Device,
  status: DeviceStatus,
  signal: AbortSignal,
  command: DeviceCommand | undefined,
): Promise<void> {
  if (isStopped(status)) return;
  await transition(context, device, 'disconnectDevice', isStopped, { signal, command });
  await awaitStopped(context, device, signal);
}

/**
 * Waits until the service shows that a device has stopped. Returns the last status.
 * @throws Failure `notReached` if it doesn't stop
 */
export async function awaitStopped(
  context: ResourceContext,
  device: Device,
  signal = context.signal,
): Promise<DeviceStatus> {
  const now = await awaitStatus(context, device, isStopped, { timeoutMs: stopTimeoutMs, signal });
  if (isStopped(now)) return now;
  throw stuckFailure(device, `did not stop within ${shortDuration(stopTimeoutMs)}`);
}

/** Returns the failure for a device on which a disconnect or a connect call has no effect. */
export function stuckFailure(device: Device, what: string): Failure {
  return new Failure('notReached', `${device.label} ${what}.`, {
    hint: remark`Try again in a minute: ${command('device', 'repair', device.word)}\nIf that does not help, send these steps to the support of the service.('device', 'repair', device.word)}`,
  });
}
