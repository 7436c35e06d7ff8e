import type { Row } from '../../../command.ts';
import type { Session } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import { type Device, readStatus } from '../device.ts';
import { readUntil } from '../polling.ts';
import type { StatusView } from '../state.ts';
import { phoneOf, typedAs } from '../words.ts';
import { stop } from './start-over.ts';

/** How the number that was paired stands to the one that was expected. */
export type NumberMatch =
  | 'same'
  /** The same Brazilian mobile number, written once with its ninth digit and once without. */
  | 'sameButNinthDigit'
  | 'other'
  /** The service shows none. */
  | 'unknown';

/**
 * Compares the number that was paired with the one that was expected, digit by digit. Brazilian mobile
 * numbers got a ninth digit, a leading 9, from 2012 to 2016; messaging apps go on showing those of before
 * without it, so both ways of writing one count as the same. Only numbers that began with 6 to 9 then were
 * mobile ones: a landline never counts as one.
 * @param expected digits alone
 * @param shown as the service shows it: an app may put the number of the linked device after it, `:52`
 */
export function compareNumbers(expected: string, shown: string | undefined): NumberMatch {
  const digits = (shown ?? '').replace(/[:@].*/s, '').replace(/\D/g, '');
  if (digits === '') return 'unknown';
  if (digits === expected) return 'same';
  return withoutNinthDigit(digits) === withoutNinthDigit(expected) ? 'sameButNinthDigit' : 'other';
}

/** What a row says of the number that was expected; `matches` is null where none is shown. */
export function comparison(expected: string, shown: string | undefined): Row {
  const match = compareNumbers(expected, shown);
  return { expected: `+${expected}`, matches: match === 'unknown' ? null : match !== 'other' };
}

function withoutNinthDigit(digits: string): string {
  return digits.replace(/^(55[1-9][1-9])9([6-9]\d{7})$/, '$1$2');
}

/** Milliseconds that a service may take to show the number of a device that was paired just now. */
const numberPatience = 5000;

/**
 * Reads the number of a device that is connected; undefined where the service goes on showing none, or can't be
 * asked: the device is paired, whether its number can be read or not.
 * @param limit milliseconds that there are; as many as it takes where not given
 */
export async function awaitNumber(
  session: Session,
  device: Device,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (limit !== undefined && limit <= 0) return undefined;
  const phone = (view: StatusView): string | undefined => phoneOf(view.phone_number);
  try {
    const view = await readUntil({
      read: (until) => readStatus(session, device, until),
      isThere: (now) => phone(now) !== undefined,
      patience: numberPatience,
      limit,
      clock: session.clock,
      signal,
    });
    return phone(view);
  } catch (error) {
    if (error instanceof Failure && !signal.aborted) return undefined;
    throw error;
  }
}

/**
 * Says what comes of it where another number was paired than expected, or none is shown. On a terminal it
 * offers to disconnect the device; `--yes` doesn't answer that, since nobody has to be asked to go on.
 * @param expected digits alone
 * @returns what the command ends with; undefined where the number is the right one
 */
export async function judgeNumber(
  session: Session,
  device: Device,
  expected: string,
  shown: string | undefined,
): Promise<Failure | undefined> {
  const name = typedAs(device);
  switch (compareNumbers(expected, shown)) {
    case 'same':
      return undefined;
    case 'sameButNinthDigit':
      session.terminal.note(
        `${shown} and +${expected} are the same number, with and without the ninth digit of Brazil.`,
      );
      return undefined;
    case 'unknown':
      return new Failure(
        'notReached',
        `${device.label} is connected, but the service doesn't show its number: it can't be compared with +${expected}.`,
        { hint: `Look at the phone. If it is the wrong one: botctl device disconnect ${name}` },
      );
    case 'other': {
      const message = `${device.label} is paired with ${shown}, not with +${expected}.`;
      const isStopped = await offerToDisconnect(session, device, message);
      const hint = isStopped
        ? `Pair it with the right phone: botctl device connect ${name} --expect +${expected}`
        : `Disconnect it, and pair it again with the right phone: botctl device disconnect ${name}`;
      return new Failure('otherNumber', message, { hint });
    }
  }
}

async function offerToDisconnect(session: Session, device: Device, message: string): Promise<boolean> {
  const { prompts, terminal, signal } = session;
  if (!prompts.available || !(await saysYes(session, `${message} Disconnect it now?`))) return false;
  try {
    await stop(session, device, await readStatus(session, device, signal), signal);
  } catch (error) {
    // That another number was paired is what the command ends with, whatever becomes of this.
    if (!(error instanceof Failure) || signal.aborted) throw error;
    terminal.warn(`${device.label} could not be disconnected: ${error.message}`);
    return false;
  }
  terminal.done(`Stopped ${device.label}.`);
  return true;
}

/** The end of the input is a no here: the pairing has ended, whatever the answer is. */
async function saysYes({ prompts }: Session, message: string): Promise<boolean> {
  try {
    return await prompts.yes({ message, option: '--expect' });
  } catch (error) {
    if (error instanceof Failure && error.kind === 'declined') return false;
    throw error;
  }
}
