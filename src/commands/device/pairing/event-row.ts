import type { Row } from '../../../command.ts';
import type { Secret } from '../../../secret.ts';
import type { Device } from '../device.ts';
import type { PairingEvent } from './events.ts';

/** The event that a device is paired. */
export type Connected = Extract<PairingEvent, { kind: 'connected' }>;

/**
 * An event as scripts get it. Members that don't belong to it are missing.
 * @param reveal gives what a code says, where that is wanted
 */
export function rowOf(
  event: PairingEvent,
  device: Pick<Device, 'id' | 'name'>,
  reveal: ((secret: Secret) => string) | undefined,
): Row {
  return {
    event: event.kind,
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    ...detailOf(event, reveal),
    at: new Date(event.at).toISOString(),
  };
}

function detailOf(event: PairingEvent, reveal: ((secret: Secret) => string) | undefined): Row {
  switch (event.kind) {
    case 'code':
      return {
        fingerprint: event.code.fingerprint,
        number: event.number,
        round: event.round,
        age: inSeconds(event.at - event.since),
        ...(reveal && { payload: reveal(event.code.payload) }),
      };
    case 'renewing':
      return { round: event.round, pause: inSeconds(event.pause) };
    case 'connected':
      return { phone_number: event.phoneNumber ?? null, took: inSeconds(event.took) };
    case 'stalled':
      return { reason: 'A phone has scanned the code, and the device is still not connected.' };
    case 'unreadable':
      return { reason: `The picture ${event.problem}.` };
    case 'unreachable':
      return { reason: event.problem };
    case 'stopped':
    case 'lost':
      return { reason: event.reason ?? null };
    case 'timeout':
      return { took: inSeconds(event.after) };
    default:
      return {};
  }
}

/** Whole tenths of a second. */
function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
