import { isDeepStrictEqual } from 'node:util';
import type { Confirmation } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { mostSimilar } from '../../names/similar.ts';
import type { Choice } from '../../terminal/prompts.ts';
import {
  type Changes,
  changes,
  checkUnpublished,
  sendChanges,
  unpublishing,
  warnIfHidden,
} from './changes.ts';
import { editableOf, isSameValue } from './editable.ts';
import { type BotDetail, labelOf } from './read.ts';
import type { WrittenBot } from './written.ts';

/** A list that a bot has, and that the API replaces only as a whole. */
export type Part = 'questions' | 'actions' | 'document_ids';

/** What one of a list is. */
type One<P extends Part> = NonNullable<WrittenBot[P]>[number];

/** How a list changes: gives what it shall be, from what it is. Throws a Failure where that can't be. */
export type Revise<P extends Part> = (present: readonly One<P>[]) => readonly One<P>[];

/** A change to one list of a bot, as it looked when the bot was read. */
export interface PartChange<P extends Part> {
  readonly present: BotDetail;
  readonly part: P;
  readonly revise: Revise<P>;
  /** What was done, from what there was, in words that "of bot X" completes: `Added question "Pets?"`. */
  did(before: readonly One<P>[]): string;
}

/** What to ask before a list of a published bot is changed. */
export async function confirmPart<P extends Part>(
  _session: Session,
  _input: unknown,
  { present, part, revise }: PartChange<P>,
): Promise<Confirmation | undefined> {
  return unpublishing(present, revised(present, part, revise));
}

/**
 * Changes one list of a bot and leaves the rest alone. The bot is read again right before, so that what
 * somebody else changed meanwhile stays. Gives the bot as it is then.
 * @throws Failure as `revise` and `partOf`, and `rejected` where the bot was published meanwhile
 */
export async function changePart<P extends Part>(
  session: Session,
  { present, part, revise, did }: PartChange<P>,
): Promise<BotDetail> {
  const { data: fresh } = await session.api.call('getBot', {
    path: { id: present.id },
    signal: session.signal,
  });
  const changed = revised(fresh, part, revise);
  if (changed.list.length > 0) checkUnpublished(present, fresh, session.options.yes);
  warnIfHidden(session, fresh, changed);
  return sendChanges(session, fresh, changed, did(partOf(fresh, part)));
}

/** Several things of one kind, quoted: `questions "A", "B"`. */
export function named(one: string, labels: readonly string[]): string {
  return `${one}${labels.length === 1 ? '' : 's'} ${labels.map((label) => JSON.stringify(label)).join(', ')}`;
}

/** What a person may choose to remove: by its label, or by its number where others have that label. */
export function choicesOf(things: readonly Pointed[]): readonly Choice<string>[] {
  return things.map(({ number, label, id }) => {
    const isTwin = things.some((other) => other.number !== number && other.label === label);
    return { name: label, value: id ?? (isTwin || label === '' ? String(number) : label) };
  });
}

/** The list with one in the place of those that it replaces: of several, one is left. */
export function replaced<T>(list: readonly T[], one: T, isReplaced: (other: T) => boolean): readonly T[] {
  const at = list.findIndex(isReplaced);
  return list.flatMap((other, index) => (index === at ? [one] : isReplaced(other) ? [] : [other]));
}

function revised<P extends Part>(present: BotDetail, part: P, revise: Revise<P>): Changes {
  const before = partOf(present, part);
  const after = revise(before);
  return isSameValue(part, before, after) ? changes(present, {}) : changes(present, { [part]: after });
}

const nouns = { questions: 'question', actions: 'action', document_ids: 'document' } as const;

/**
 * A list of a bot.
 * @throws Failure `rejected` where the service doesn't show it: nothing can be added to what nobody knows
 */
export function partOf<P extends Part>(present: BotDetail, part: P): readonly One<P>[] {
  const list = editableOf(present)[part];
  // What the service shows goes back to it as it is, so nothing more has to be known of it.
  if (Array.isArray(list)) return list as readonly One<P>[];
  throw new Failure('rejected', `The service doesn't show the ${nouns[part]}s of ${labelOf(present)}.`, {
    hint: `So one can't change without the others: give them all with botctl bots update ${present.id}.`,
  });
}

/** Something in a list, as a person may point at it. */
export interface Pointed {
  /** Its place, from 1, as the list shows it. */
  readonly number: number;
  /** What it is called: the text of a question, the name of an action. */
  readonly label: string;
  /** Its id, where it has one. */
  readonly id?: string | undefined;
}

/** What is pointed at, in messages: `question`, and the command that lists them. */
interface Pointing {
  readonly one: string;
  readonly list: string;
}

/**
 * Finds what a person points at: by its exact label, its id, or its number.
 * @throws Failure `usage` where several have the label, `notFound` where none has
 */
function pointAt<T extends Pointed>(things: readonly T[], word: string, { one, list }: Pointing): T {
  const named = things.filter(({ label, id }) => label === word || id?.toLowerCase() === word.toLowerCase());
  const [found, ...others] =
    named.length > 0 ? named : things.filter(({ number }) => String(number) === word);
  if (found && others.length === 0) return found;
  if (found) {
    const numbers = named.map(({ number, id }) => `  ${number}  ${id ?? found.label}`).join('\n');
    throw new Failure('usage', `"${word}" could be any of ${named.length} ${one}s.`, {
      hint: `Give the number of the one you mean:\n${numbers}`,
    });
  }
  const similar = mostSimilar(
    word,
    things.map(({ label }) => label),
  );
  throw new Failure('notFound', `There is no ${one} "${word}".`, {
    hint: similar === undefined ? `See what there is: ${list}` : `Did you mean "${similar}"?`,
  });
}

/**
 * Takes away from a bot what a person points at.
 * @param pointed all that can be pointed at
 * @param words what points at each, as in `pointAt`
 * @throws Failure as `pointAt` and `partOf`
 */
export function removal<P extends Part>(
  present: BotDetail,
  part: P,
  pointed: readonly (Pointed & { readonly one: One<P> })[],
  words: readonly string[],
): PartChange<P> {
  const one = nouns[part];
  const pointing = { one, list: `botctl bots ${one}s list ${present.id}` };
  const gone = words.map((word) => pointAt(pointed, word, pointing));
  const labels = gone.map(({ label }) => label);
  return {
    present,
    part,
    revise: without(partOf(present, part), gone),
    did: () => `Removed ${named(one, labels)}`,
  };
}

/**
 * Takes things out of a list: by their place while the list is as it was shown, so that a twin stays, and
 * otherwise by what they are.
 */
function without<T>(
  shown: readonly T[],
  gone: readonly (Pointed & { readonly one: T })[],
): (present: readonly T[]) => readonly T[] {
  return (present) =>
    isDeepStrictEqual(present, shown)
      ? present.filter((_, index) => gone.every(({ number }) => number !== index + 1))
      : present.filter((one) => gone.every((other) => !isDeepStrictEqual(one, other.one)));
}
