import { capitalised } from '../lib/text/capitalised.ts';
import { isThere, type Namesakes, type ToCreate } from '../resources/namesakes.ts';
import type { Confirmation } from './command.ts';
import type { Session } from './context.ts';
import { flag } from './options.ts';

/** The option to take what is there under the name instead of creating another one. */
export const ifAbsentOption = flag(
  '--if-absent',
  'create none if one of exactly that name is there, and give that one',
);

/**
 * Returns the question before something is created whose name something has already. Where nobody is asked, that
 * is noted: names are this tool's ids, and few things can be deleted.
 */
export function namesakeQuestion(
  { options, prompts, reporter }: Pick<Session, 'options' | 'prompts' | 'reporter'>,
  toCreate: ToCreate,
  { instead, all }: Namesakes,
): Confirmation | undefined {
  if (instead || all.length === 0) return undefined;
  const there = capitalised(isThere(toCreate, all.length));
  if (prompts.available && !options.yes) return { level: 'yes', question: `${there}. Create another one?` };
  reporter.note(`${there}; this creates another one.`);
  return undefined;
}
