import type { Session } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import { type Device, readStatus } from '../device.ts';
import { readUntil } from '../polling.ts';
import { type StatusView, stateOf } from '../state.ts';
import { isStopped, start, transition } from '../transition.ts';
import { typedAs } from '../words.ts';

/** Milliseconds that the service may take to show that a device has stopped. */
const stopPatience = 15_000;

/**
 * Makes a device show new codes: disconnects it, waits until it has stopped, connects it. One that is ready
 * is left alone.
 * @param isAsked whether one that is paired, but not connected, is to be paired anew
 * @throws Failure
 */
export async function startOver(
  session: Session,
  device: Device,
  isAsked: boolean,
  signal: AbortSignal,
): Promise<void> {
  const view = await readStatus(session, device, signal);
  const state = stateOf(view);
  const isPaired = state === 'ready' || state === 'connecting' || state === 'reconnecting';
  if (state === 'ready' || (isPaired && !isAsked)) return;
  await stop(session, device, view, signal);
  await start(session, device, signal);
}

/**
 * Disconnects a device, unless it is stopped already, and waits until the service shows that it has stopped.
 * Gives what it showed.
 * @param view the device as it was just now
 * @throws Failure, `notReached` where it doesn't stop
 */
export async function stop(
  session: Session,
  device: Device,
  view: StatusView,
  signal: AbortSignal,
): Promise<StatusView> {
  if (isStopped(view)) return view;
  await transition(session, device, 'disconnectDevice', isStopped, signal);
  const now = await readUntil({
    read: (until) => readStatus(session, device, until),
    isThere: isStopped,
    patience: stopPatience,
    clock: session.clock,
    signal,
  });
  if (isStopped(now)) return now;
  throw new Failure('notReached', `${device.label} did not stop within ${stopPatience / 1000} s.`, {
    hint: `Look at its state: botctl device status ${typedAs(device)}`,
  });
}
