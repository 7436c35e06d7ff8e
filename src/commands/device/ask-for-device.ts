import type { Session } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';

/** What to say where all devices are meant, and the device book has none. */
export const hintAtNone = {
  message: 'The device book has no device of this service.',
  hint: remark`Add one: ${command('device', 'add', placeholder('<device>'))}`,
};

/**
 * Asks which device is meant, where the line names none.
 * @param hint names the line that takes many of the device book
 * @throws Failure `usage` in a script
 */
export async function askForDevice(session: Session, hint: RemarkText): Promise<string> {
  if (!session.prompts.available) throw new Failure('usage', '<device> is missing.', { hint });
  const { askForName } = await import('../../cli/questions.ts');
  return askForName(session, 'device', { option: '<device>' });
}
