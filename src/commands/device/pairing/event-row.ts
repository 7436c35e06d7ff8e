import type { Row } from '../../../command.ts';
import type { Failure, FailureKind } from '../../../errors.ts';
import type { Secret } from '../../../secret.ts';
import type { Device } from '../device.ts';
import type { PairingEvent } from './events.ts';

/**
 * An event as scripts get it. Members that don't belong to it are missing.
 * @param reveal gives what a code says, where that is wanted
 */
export function rowOf(
  event: PairingEvent,
  device: Pick<Device, 'id' | 'name'>,
  reveal: ((secret: Secret) => string) | undefined,
): Row {
  return row(event.kind, device, event.at, detailOf(event, reveal));
}

/** How a person or the machine ends the waiting, as scripts get it. */
const leavings: Partial<Readonly<Record<FailureKind, string>>> = { declined: 'left' };

/**
 * The last event where the waiting was broken off: `reason` is `left` (q), `interrupted` (Ctrl-C) or `terminated`
 * (SIGTERM).
 * @param at milliseconds since 1970
 * @param took milliseconds
 */
export function cancelledRow(
  device: Pick<Device, 'id' | 'name'>,
  kind: FailureKind,
  at: number,
  took: number,
): Row {
  return row('cancelled', device, at, { reason: leavings[kind] ?? kind, took: inSeconds(took) });
}

function row(event: string, { id, name }: Pick<Device, 'id' | 'name'>, at: number, detail: Row): Row {
  return {
    event,
    device_id: id,
    ...(name !== undefined && { name }),
    ...detail,
    at: new Date(at).toISOString(),
  };
}

function detailOf(event: PairingEvent, reveal: ((secret: Secret) => string) | undefined): Row {
  switch (event.kind) {
    case 'code':
      return {
        fingerprint: event.code.fingerprint,
        number: event.number,
        round: event.round,
        // Nobody here knows how long one had been there that was there before.
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

/**
 * A lone event, and what the command ends with after it.
 * @param judge gives the failure, if any
 */
export async function* only(event: Row, judge?: () => Promise<Failure | undefined>): AsyncGenerator<Row> {
  yield event;
  const failure = await judge?.();
  if (failure) throw failure;
}
