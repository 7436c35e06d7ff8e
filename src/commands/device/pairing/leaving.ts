import { Failure, type FailureKind } from '../../../errors.ts';
import type { Device } from '../device.ts';
import { typedAs } from '../words.ts';
import type { PairingEvent } from './events.ts';

const beginnings: Partial<Readonly<Record<FailureKind, string>>> = {
  declined: 'Left.',
  interrupted: 'Interrupted.',
  terminated: 'Terminated.',
};

/**
 * What a person is told who leaves before a device is paired, in whatever way.
 * @param state a sentence: how the device stays behind
 */
export function leftBehind(kind: FailureKind, device: Device, state: string): Failure {
  const hint = `Look at it again: botctl device status ${typedAs(device)} --watch`;
  return new Failure(kind, `${beginnings[kind] ?? 'Ended.'} ${state}`, { hint });
}

/** How a device stays behind, going by what happened last. */
export function stateLeft(last: Pick<PairingEvent, 'kind'> | undefined, { label }: Device): string {
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
