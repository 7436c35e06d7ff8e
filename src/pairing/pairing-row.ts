import type { JsonObject } from '../lib/json-object.ts';
import type { Row } from '../output/fields.ts';
import type { Device } from '../resources/devices/device.ts';
import type { DiagnosedState } from '../resources/devices/device-words.ts';
import { eventRow, inSeconds } from '../resources/devices/event-row.ts';
import type { PairingEvent } from '../resources/devices/pairing/watch-pairing.ts';
import type { Secret } from '../secrets/secret.ts';

/**
 * Returns an event as a row for scripts. Members that don't apply to it are missing.
 * @param reveal returns the text of a code; undefined if the row must not contain it
 */
export function pairingRow(
  event: PairingEvent,
  device: Pick<Device, 'id' | 'name'>,
  reveal: ((secret: Secret) => string) | undefined,
): Row {
  const state = (event.kind === 'starting' && event.doubt?.state) || states[event.kind];
  const words = 'words' in event ? event.words : undefined;
  const said = words === undefined ? undefined : { message: words };
  return eventRow(event.kind, device, event.at, {
    ...(state && { state }),
    ...detailOf(event, reveal),
    ...said,
  });
}

/** Returns the members for the person who stopped the device, if it was another one. */
function stopperIn({ stoppedBy }: Extract<PairingEvent, { kind: 'failed' }>): JsonObject {
  return stoppedBy === undefined ? {} : { by: stoppedBy.by, from: stoppedBy.from ?? null };
}

/** The state of the device at each event; undefined for events that don't show it. */
const states: Readonly<Partial<Record<PairingEvent['kind'], DiagnosedState>>> = {
  stopped: 'stopped',
  starting: 'starting',
  code: 'waiting',
  unreadable: 'waiting',
  unconfirmed: 'waiting',
  scan_failed: 'waiting',
  scanned: 'connecting',
  stalled: 'connecting',
  reconnecting: 'reconnecting',
  connected: 'ready',
};

function detailOf(event: PairingEvent, reveal: ((secret: Secret) => string) | undefined): JsonObject {
  switch (event.kind) {
    case 'code':
      return {
        fingerprint: event.code.fingerprint,
        number: event.number,
        round: event.round,
        // The age of a code is unknown if it was there before botctl looked.
        age: event.life === undefined ? null : inSeconds(event.at - event.since),
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
    case 'scan_failed':
      return { reason: event.reason ?? null, scans: event.scans };
    case 'stopped':
      return { reason: event.reason ?? null };
    case 'failed':
      return { because: event.because, reason: event.reason ?? null, ...stopperIn(event) };
    case 'timeout':
      return { took: inSeconds(event.after), ...(event.problem !== undefined && { reason: event.problem }) };
    default:
      return {};
  }
}
