import type { Session } from '../cli/context.ts';
import { Failure } from '../lib/errors.ts';
import { command, remark } from '../lib/text/remark.ts';
import { differingDigit } from '../phone-numbers/number-forms.ts';
import { type Device, readStatus } from '../resources/devices/device.ts';
import { compareNumbers, digitsShown } from '../resources/devices/pairing/expected-number.ts';
import { stop } from '../resources/devices/transition.ts';

/**
 * Compares the paired number with the expected one. If they differ, a user on a terminal is asked whether to disconnect the device.
 * `--yes` doesn't answer that, since the command can continue without an answer.
 * @param expected digits only
 * @returns the failure of the command, or undefined if the number is the expected one
 */
export async function checkNumber(
  session: Session,
  device: Device,
  expected: string,
  shown: string | undefined,
): Promise<Failure | undefined> {
  const word = device.word;
  const disconnect = command('device', 'disconnect', word);
  switch (compareNumbers(expected, shown)) {
    case 'same':
      return undefined;
    case 'sameInOtherForm': {
      const digit = differingDigit(digitsShown(shown), expected);
      const ways = digit === undefined ? 'written in two ways' : `with and without ${digit}`;
      session.terminal.note(`${shown} and +${expected} are the same number, ${ways}.`);
      return undefined;
    }
    case 'unknown':
      return new Failure(
        'notReached',
        `${device.label} is connected, but the service doesn't show its number, so it can't be compared with +${expected}.`,
        { hint: remark`Look at the phone. If it is the wrong one: ${disconnect}` },
      );
    case 'other': {
      const said = (verb: 'is' | 'was'): string =>
        `${device.label} ${verb} paired with ${shown}, not with +${expected}.`;
      const isStopped = await offerToDisconnect(session, device, said('is'));
      const hint = isStopped
        ? remark`Pair it with the right phone: ${command('device', 'connect', word, '--expect', `+${expected}`)}`
        : remark`Disconnect it, and pair it again with the right phone: ${disconnect}`;
      return new Failure('otherNumber', said(isStopped ? 'was' : 'is'), { hint });
    }
  }
}

async function offerToDisconnect(session: Session, device: Device, message: string): Promise<boolean> {
  const { prompts, terminal, signal } = session;
  if (!prompts.available || !(await answersYes(session, `${message} Disconnect it now?`))) return false;
  try {
    await stop(session, device, await readStatus(session, device, signal), signal, 'disconnect');
  } catch (error) {
    // The command still fails because of the wrong number.
    if (!(error instanceof Failure) || signal.aborted) throw error;
    terminal.warn(`${device.label} could not be disconnected: ${error.message}`);
    return false;
  }
  terminal.done(`Stopped ${device.label}.`);
  return true;
}

/** Asks whether to disconnect. The end of input counts as no: the pairing has ended either way. */
async function answersYes({ prompts }: Session, message: string): Promise<boolean> {
  try {
    return await prompts.yes({ message, option: '--expect' });
  } catch (error) {
    if (error instanceof Failure && error.kind === 'declined') return false;
    throw error;
  }
}
