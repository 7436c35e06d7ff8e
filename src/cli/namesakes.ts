import { isThere, type Namesakes, type ToCreate } from '../resources/namesakes.ts';
import type { YesNo } from './command.ts';
import type { Session } from './context.ts';
import { flag } from './options.ts';

/** The option to take what is there under the name instead of creating another one. */
export const ifAbsentOption = flag(
  '--if-absent',
  'create none if one of exactly that name is there, and give that one',
);

type Asking = Pick<Session, 'allows' | 'options' | 'prompts' | 'reporter'>;

/**
 * Returns the question before something is created whose name something has already. Where nobody is asked, that
 * is noted: names are this tool's ids, and few things can be deleted.
 */
export function namesakeQuestion(
  asking: Asking,
  { noun, name }: ToCreate,
  { instead, all }: Namesakes,
): YesNo | undefined {
  return instead || all.length === 0 ? undefined : namesakesQuestion(asking, noun, [name]);
}

/** The same for several names at once. */
export function namesakesQuestion(
  { allows, options, prompts, reporter }: Asking,
  noun: ToCreate['noun'],
  names: readonly string[],
): YesNo | undefined {
  if (names.length === 0 || allows('duplicate')) return undefined;
  const there = isThere(noun, names);
  const more = names.length === 1 ? 'another one' : 'others';
  if (prompts.available && !options.yes)
    return { level: 'yes', statement: `${there}.`, question: `Create ${more}?` };
  reporter.note(`${there}; this creates ${more}.`);
  return undefined;
}
