import { Failure, type FailureKind } from '../../../lib/errors.ts';
import { command, remark } from '../../../lib/text/remark.ts';
import type { Device } from '../../../resources/devices/device.ts';
import type { PairingEvent } from '../../../resources/devices/pairing/machine.ts';

const causes: Partial<Readonly<Record<FailureKind, string>>> = {
  declined: 'Left.',
  interrupted: 'Interrupted.',
  terminated: 'Terminated.',
};

/**
 * Returns the failure of a command that is left before a device is paired, in whatever way.
 * @param state the state that the device is left in, a sentence
 */
export function cancelledFailure(kind: FailureKind, device: Device, state: string): Failure {
  const hint = remark`Look at it again: ${command('device', 'status', device.word, '--watch')}`;
  return new Failure(kind, `${causes[kind] ?? 'Ended.'} ${state}`, { hint });
}

/** Returns the state that a device is left in, by the last event. */
export function remainingState(last: Pick<PairingEvent, 'kind'> | undefined, { label }: Device): string {
  switch (last?.kind) {
    case 'code':
    case 'unreadable':
      return `${label} goes on waiting for a phone until its codes have expired.`;
    case 'scanned':
    case 'stalled':
      return `A phone has scanned the code of ${label}, which may still be paired.`;
    case 'renewing':
      return `${label} was being started over, and may be stopped.`;
    case 'connected':
      return `${label} is connected; its number was not compared.`;
    default:
      return `${label} stays as it is.`;
  }
}
