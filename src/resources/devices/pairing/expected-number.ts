import { Failure } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json-object.ts';
import { canonicalForm } from '../../../phone-numbers/number-forms.ts';
import type { ResourceContext } from '../../resource-context.ts';
import { awaitStatus, type Device } from '../device.ts';
import type { DeviceStatus } from '../device-status.ts';

/** The number to pair. */
export interface ExpectedNumber {
  /** Digits only. */
  readonly digits: string;
  /** With a plus, and with the name of its owner if given: `+5511912345678 (Store manager)`. */
  readonly shown: string;
}

/** The result of comparing the paired number with the expected one. */
export type NumberMatch =
  | 'same'
  /** The same number in another notation of its country. */
  | 'sameInOtherForm'
  | 'other'
  /** The service shows no number. */
  | 'unknown';

/**
 * Compares the paired number with the expected one, digit by digit. All notations of a number of
 * Brazil, Mexico or Argentina count as the same.
 * @param expected digits only
 * @param shown as the service shows it: an app may append the number of the linked device, `:52`
 */
export function compareNumbers(expected: string, shown: string | undefined): NumberMatch {
  const digits = digitsShown(shown);
  if (digits === '') return 'unknown';
  if (digits === expected) return 'same';
  return canonicalForm(digits) === canonicalForm(expected) ? 'sameInOtherForm' : 'other';
}

/** Returns the digits of a number that a service shows for a device, without the number of the linked device. */
export function digitsShown(shown = ''): string {
  return shown.replace(/[:@].*/s, '').replace(/\D/g, '');
}

/** Returns the members of a row about the expected number; `matches` is null if the service shows none. */
export function comparison(expected: string, shown: string | undefined): JsonObject {
  const match = compareNumbers(expected, shown);
  return { expected: `+${expected}`, matches: match === 'unknown' ? null : match !== 'other' };
}

/** How long a service may take to show the number of a newly paired device. */
const numberTimeoutMs = 5000;

/**
 * Returns the number of a connected device, or undefined if the service shows none, or can't be
 * reached: the device is paired anyway.
 * @param limit the remaining milliseconds; unlimited if not given
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
