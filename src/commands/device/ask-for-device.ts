import type { Session } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';

/** The message for an empty device book in a command for all devices. */
export const hintAtNone = {
  message: 'The device book has no device of this service.',
  hint: remark`Add one: ${command('device', 'add', placeholder('<device>'))}`,
};

/**
 * Asks for a device if the command names none.
 * @param hint names the command that takes several devices from the device book
 * @throws Failure `usage` in a script
 */
export async function askForDevice(session: Session, hint: RemarkText): Promise<string> {
  if (!session.prompts.available) throw new Failure('usage', '<device> is missing.', { hint });
  const { askForName } = await import('../../cli/questions.ts');
  return askForName(session, 'device', { option: '<device>' });
}
