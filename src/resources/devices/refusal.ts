import type { Refusal } from '../../desk/device-book.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import { stateOf } from './device-state.ts';
import type { DeviceStatus } from './device-status.ts';

/** The maximum width of a stored reason. */
const maxReason = 200;

/**
 * Returns the record of a refused send.
 * @param status the device right after it
 * @param because the service's words, without secrets
 * @param at milliseconds since 1970
 */
export function refusalNote(status: DeviceStatus, because: string, at: number): Refusal {
  return {
    at: new Date(at).toISOString(),
    because: oneLine(because, maxReason).replace(/\.$/, ''),
    connected: stateOf(status) === 'ready',
    connection: connectionOf(status),
  };
}

/**
 * Returns whether a refusal still applies to a device: it was not connected again since, nor paired again,
 * nor disconnected for another reason.
 */
export function isCurrentRefusal(refusal: Refusal, status: DeviceStatus): boolean {
  const state = stateOf(status);
  if (state !== 'ready' && state !== 'reconnecting') return false;
  if (state === 'ready' && !refusal.connected) return false;
  return refusal.connection === connectionOf(status);
}

function connectionOf({ phoneNumber, lastDisconnectReason, lastDisconnectAt }: DeviceStatus): string {
  return JSON.stringify([phoneNumber, lastDisconnectReason, lastDisconnectAt]);
}
