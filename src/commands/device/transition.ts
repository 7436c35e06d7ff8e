import type { Reply } from '../../client/api.ts';
import type { Session } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { type Device, readStatus } from './device.ts';
import { type StatusView, statusOf } from './state.ts';

/**
 * Connects or disconnects a device. Where it is refused, or the answer is lost, a status read settles what
 * came of it: somebody else may have done the same, or the call may have taken effect all the same.
 * @param isDone whether a device that looks like this is where the call was to bring it
 * @param signal ends the work
 * @returns what the service answered; undefined where the status settled it
 * @throws Failure of the call, where the device is not there
 */
export async function transition(
  session: Session,
  device: Device,
  call: 'connectDevice' | 'disconnectDevice',
  isDone: (view: StatusView) => boolean,
  signal = session.signal,
): Promise<Reply<'connectDevice' | 'disconnectDevice'>['data'] | undefined> {
  try {
    const { data } = await session.api.call(call, { path: { id: device.id }, signal });
    return data;
  } catch (error) {
    const mayBeDone = error instanceof Failure && (error.kind === 'rejected' || error.kind === 'network');
    if (!mayBeDone || signal.aborted) throw error;
    const view = await readStatus(session, device, signal).catch(() => undefined);
    if (!view || !isDone(view)) throw error;
    return undefined;
  }
}

/** Whether a device is stopped, by its status alone. */
export function isStopped(view: StatusView): boolean {
  return statusOf(view) === 'stopped';
}

/**
 * Starts a device. Gives false where it turns out to be started already, or no answer tells who started it.
 * @throws Failure
 */
export async function start(session: Session, device: Device, signal: AbortSignal): Promise<boolean> {
  const isStarted = (view: StatusView): boolean => !isStopped(view);
  return (await transition(session, device, 'connectDevice', isStarted, signal)) !== undefined;
}
