import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { ResourceContext } from '../resource-context.ts';
import { type Device, readStatus } from './device.ts';
import { isStopped } from './device-state.ts';
import type { DeviceStatus } from './device-status.ts';

/**
 * Connects or disconnects a device. If that is refused, or the answer is lost, a status read settles what
 * came of it: another process may have done the same, or the call may have taken effect all the same.
 * @param isDone true if a device with this status is where the call was to bring it
 * @param signal ends the work
 * @returns what the service answered, or undefined if the status settled it
 * @throws Failure of the call if the device is not there
 */
export async function transition(
  context: ResourceContext,
  device: Device,
  call: 'connectDevice' | 'disconnectDevice',
  isDone: (status: DeviceStatus) => boolean,
  signal = context.signal,
): Promise<JsonObject | undefined> {
  try {
    const { data } = await context.api.call(call, { path: { id: device.id }, signal });
    return data;
  } catch (error) {
    const mayBeDone = error instanceof Failure && (error.kind === 'rejected' || error.kind === 'network');
    if (!mayBeDone || signal.aborted) throw error;
    const status = await readStatus(context, device, signal).catch(() => undefined);
    if (!status || !isDone(status)) throw error;
    return undefined;
  }
}

/**
 * Starts a device. Returns false if it turns out to be started already, or no answer tells who started it.
 * @throws Failure
 */
export async function start(context: ResourceContext, device: Device, signal: AbortSignal): Promise<boolean> {
  const isStarted = (status: DeviceStatus): boolean => !isStopped(status);
  return (await transition(context, device, 'connectDevice', isStarted, signal)) !== undefined;
}
