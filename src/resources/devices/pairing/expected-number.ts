import { Failure } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json-object.ts';
import { canonicalForm } from '../../../phone-numbers/number-forms.ts';
import type { ResourceContext } from '../../resource-context.ts';
import { awaitStatus, type Device } from '../device.ts';
import type { DeviceStatus } from '../device-status.ts';

/** The number that is to be paired. */
export interface ExpectedNumber {
  /** Digits alone. */
  readonly digits: string;
  /** With a plus, and with the name of its owner where that was given: `+5511912345678 (Store manager)`. */
  readonly shown: string;
}

/** The number that was paired, compared with the one that was expected. */
export type NumberMatch =
  | 'same'
  /** The same number, written in another way of its country. */
  | 'sameInOtherForm'
  | 'other'
  /** The service shows none. */
  | 'unknown';

/**
 * Returns how the number that was paired compares with the expected one, digit by digit. All ways of writing a number of
 * Brazil, Mexico or Argentina count as the same.
 * @param expected digits alone
 * @param shown as the service shows it: an app may put the number of the linked device after it, `:52`
 */
export function compareNumbers(expected: string, shown: string | undefined): NumberMatch {
  const digits = digitsShown(shown);
  if (digits === '') return 'unknown';
  if (digits === expected) return 'same';
  return canonicalForm(digits) === canonicalForm(expected) ? 'sameInOtherForm' : 'other';
}

/** Returns the digits of a number that a service shows for a device, without those of the linked device. */
export function digitsShown(shown = ''): string {
  return shown.replace(/[:@].*/s, '').replace(/\D/g, '');
}

/** Returns the members of a row about the expected number; `matches` is null if none is shown. */
export function comparison(expected: string, shown: string | undefined): JsonObject {
  const match = compareNumbers(expected, shown);
  return { expected: `+${expected}`, matches: match === 'unknown' ? null : match !== 'other' };
}

/** A service may take so long to show the number of a device that was paired just now. */
const numberTimeoutMs = 5000;

/**
 * Returns the number of a device that is connected, or undefined if the service goes on showing none, or can't be
 * asked: the device is paired, whether its number can be read or not.
 * @param limit milliseconds that there are; as many as it takes if not given
 */
export async function awaitNumber(
  context: ResourceContext,
  device: Device,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (limit !== undefined && limit <= 0) return undefined;
  try {
    const times = { timeoutMs: numberTimeoutMs, limitMs: limit, signal };
    const isShown = ({ phoneNumber }: DeviceStatus): boolean => phoneNumber !== undefined;
    return (await awaitStatus(context, device, isShown, times)).phoneNumber;
  } catch (error) {
    if (error instanceof Failure && !signal.aborted) return undefined;
    throw error;
  }
}
