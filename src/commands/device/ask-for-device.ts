import type { Session } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import type { RemarkText } from '../../lib/text/remark.ts';

/**
 * Asks which device is meant, where the line names none.
 * @param hint names the line that takes many of the device book
 * @throws Failure `usage` where nobody can be asked
 */
export async function askForDevice(session: Session, hint: RemarkText): Promise<string> {
  if (!session.prompts.available) throw new Failure('usage', '<device> is missing.', { hint });
  const { askForName } = await import('../../cli/questions.ts');
  return askForName(session, 'device', { option: '<device>' });
}
