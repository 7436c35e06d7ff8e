import { pluralize } from '../lib/text/numbers.ts';
import { isThere, type Namesakes, otherNamesakes, type ToCreate } from '../resources/namesakes.ts';
import type { YesNo } from './command.ts';
import { willAsk } from './confirm.ts';
import type { Session } from './context.ts';

type AskContext = Pick<Session, 'allows' | 'io' | 'options' | 'prompts' | 'reporter'>;

/**
 * Returns the question to ask before a second object with the same name is created. In a script, and with `--yes`, prints
 * a note instead. botctl finds objects by name, and few objects can be deleted.
 */
export function namesakeQuestion(
  asking: AskContext,
  { noun, name }: ToCreate,
  { instead, all }: Namesakes,
): YesNo | undefined {
  if (instead || all.length === 0) return undefined;
  if (all.length === 1) return namesakesQuestion(asking, noun, [name]);
  // With several, --if-absent would be refused as ambiguous.
  return askOrNote(
    asking,
    `${pluralize(all.length, noun)} named ${name} already exist`,
    'Create another one?',
    'This creates another one',
  );
}

/** Returns the same question for several names at once. */
export function namesakesQuestion(
  asking: AskContext,
  noun: ToCreate['noun'],
  names: readonly string[],
): YesNo | undefined {
  if (names.length === 0) return undefined;
  const [existing, more] =
    names.length === 1 ? ['the existing one', 'another one'] : ['the existing ones', 'others'];
  return askOrNote(
    asking,
    isThere(noun, names),
    `Create ${more}?`,
    `This creates ${more}. To use ${existing}, add --if-absent`,
  );
}

/** Returns the question to ask before an object is renamed to a name that another one has. */
export async function renameQuestion(
  asking: AskContext & Pick<Session, 'api'>,
  renamed: ToCreate,
  id: string,
): Promise<YesNo | undefined> {
  if (asking.allows('duplicate') || (await otherNamesakes(asking, renamed, id)).length === 0)
    return undefined;
  const there = isThere(renamed.noun, [renamed.name]);
  return askOrNote(asking, there, 'Use the name twice?', 'This gives another one the same name');
}

function askOrNote(asking: AskContext, there: string, question: string, what: string): YesNo | undefined {
  if (asking.allows('duplicate')) return undefined;
  if (willAsk(asking)) return { level: 'yes', statement: `${there}.`, question };
  asking.reporter.note(`${there}. ${what}.`);
  return undefined;
}
