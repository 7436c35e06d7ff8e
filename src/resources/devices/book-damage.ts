import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import type { ResourceContext } from '../resource-context.ts';

/** Line numbers that are listed individually. */
const maxListedLines = 5;

/** The hint for lines of the device book that can't be read. */
export const damageRemedy = remark`Remove these lines in an editor. The devices themselves are not affected: use their ids, or add them again: ${command('device', 'add', placeholder('ID'))}`;

/**
 * Warns if the device book has lines that can't be read: results from the others are incomplete.
 * @throws Failure `invalidInput` if the book can't be read at all
 */
export function warnOfDamage({ devices, reporter }: Pick<ResourceContext, 'devices' | 'reporter'>): void {
  const { file } = devices;
  const lines = devices.damagedLines();
  if (lines.length === 0) return;
  const told = firstFew(lines.map(String), maxListedLines);
  reporter.warn(`Skipped lines of ${file} that can't be read: ${told}.`);
  reporter.note(damageRemedy);
}
