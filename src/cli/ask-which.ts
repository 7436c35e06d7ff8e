import { Failure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import type { AskWhich, Candidate, ChoiceQuestion } from '../lib/match-name.ts';
import { lookAlikeReason } from '../lib/text/compare.ts';
import type { Prompts } from '../terminal/prompts.ts';

/** How to ask the user. */
export interface AskOptions {
  readonly prompts: Prompts;
  readonly io: Pick<Io, 'stdout'>;
  /** True if Enter alone means no, as for a command that destroys something. */
  readonly isCareful: boolean;
}

/**
 * Returns the function that asks which object a name means: a yes/no question for a single candidate, a list for several.
 * Asks each question only once, and one question at a time.
 */
export function createAskWhich(asking: AskOptions): AskWhich {
  const answers = new Map<string, Promise<string>>();
  let last: Promise<unknown> = Promise.resolve();
  return async (question) => {
    const { text, noun, candidates } = question;
    if (asking.io.stdout.isTTY !== true || !asking.prompts.available) return undefined;
    const key = JSON.stringify([noun, text, candidates.map(({ id }) => id)]);
    // After a no, pending questions fail in the same way: nothing more is asked.
    const answer = answers.get(key) ?? last.then(() => ask(asking, question));
    last = answer;
    answers.set(key, answer);
    const chosen = await answer;
    return candidates.find(({ id }) => id === chosen);
  };
}

/**
 * Returns the id of the chosen object.
 * @throws Failure `declined` if the answer is no, otherwise as `Prompts`
 */
async function ask(
  { prompts, isCareful }: AskOptions,
  { text, noun, isExact, candidates, because }: ChoiceQuestion<Candidate>,
): Promise<string> {
  const [only, ...others] = candidates;
  const option = `the id of the ${noun}`;
  if (!only || others.length > 0) {
    const { length } = candidates;
    const { choicesOf } = await import('./questions.ts');
    // The list shows only a few at a time, so the message gives the count.
    const found = isExact
      ? `${length} ${noun}s are named "${text}"`
      : `There is no ${noun} named "${text}", but ${length} have a similar name`;
    const message = `${because ?? `${found}.`} Which one?`;
    return prompts.choose({ message, option, choices: choicesOf(candidates) });
  }
  const why = lookAlikeReason(only.name ?? '', text);
  const message = `There is no ${noun} named "${text}". Do you mean ${only.name}?${why === undefined ? '' : ` ${why}`}`;
  if (await prompts.yes({ message, option, fallback: !isCareful })) return only.id;
  throw new Failure('declined', 'Nothing was done.');
}
