import { isDeepStrictEqual } from 'node:util';
import type { Confirmation } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { isId, resembling } from '../../lib/match-name.ts';
import { type CommandLine, command, remark } from '../../lib/text/remark.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import {
  type Changes,
  changesTo,
  checkUnpublished,
  sendChanges,
  warnIfHidden,
} from '../../resources/bots/changes.ts';
import { editableOf, isSameValue } from '../../resources/bots/editable.ts';
import type { BotFields } from '../../resources/bots/model.ts';
import type { Choice } from '../../terminal/choice.ts';
import { latestBot, noteChoices, unpublishing } from './confirm-changes.ts';

/** A list that a bot has, and that the API replaces only as a whole. */
export type ListField = 'questions' | 'actions' | 'document_ids';

/** One thing in such a list. */
type Item<P extends ListField> = NonNullable<BotFields[P]>[number];

/** Returns a list as it shall be, from what it is. Throws a Failure if that can't be. */
export type ListEdit<P extends ListField> = (present: readonly Item<P>[]) => readonly Item<P>[];

/** A change to one list of a bot, as it looked when the bot was read. */
export interface ListChange<P extends ListField> {
  readonly present: Bot;
  readonly field: P;
  readonly edit: ListEdit<P>;
  /** True if a person chose what a name means after the bot was read. */
  readonly hasChosen: boolean;
  /** Says what was done, given the list before, in words that "of bot X" completes: `Added question "Pets?"`. */
  did(before: readonly Item<P>[]): string;
}

/** Returns the question before a list of a published bot is changed. */
export async function confirmListChange<P extends ListField>(
  _session: Session,
  _input: unknown,
  { present, field, edit }: ListChange<P>,
): Promise<Confirmation | undefined> {
  return unpublishing(present, changesBy(present, field, edit));
}

/**
 * Changes one list of a bot and leaves the rest alone. If a person was asked since the bot was read, it is read
 * again, so that what somebody else changed meanwhile stays. Returns the bot as it is afterwards.
 * @throws Failure as `edit` and `listOf`, and `rejected` if the bot was published meanwhile
 */
export async function sendListChange<P extends ListField>(
  session: Session,
  { present, field, edit, hasChosen, did }: ListChange<P>,
): Promise<Bot> {
  const latest = await latestBot(session, present, changesBy(present, field, edit), hasChosen);
  const changes = changesBy(latest, field, edit);
  if (changes.list.length > 0) checkUnpublished(present, latest, session.options.yes);
  warnIfHidden(session, latest, changes);
  return sendChanges(session, latest, changes, did(listOf(latest, field)));
}

/** Returns several things of one kind, quoted: `questions "A", "B"`. */
export function quoted(one: string, labels: readonly string[]): string {
  return `${one}${labels.length === 1 ? '' : 's'} ${labels.map((label) => JSON.stringify(label)).join(', ')}`;
}

/** Returns what a person may choose to remove: by its label, or by its number if others have that label. */
export function choicesOf(things: readonly NamedItem[]): readonly Choice<string>[] {
  return things.map(({ number, label, id }) => {
    const isTwin = things.some((other) => other.number !== number && other.label === label);
    return { name: label, value: id ?? (isTwin || label === '' ? String(number) : label) };
  });
}

/** Returns the list with one in the place of those that it replaces: of several, one is left. */
export function replaced<T>(list: readonly T[], one: T, isReplaced: (other: T) => boolean): readonly T[] {
  const at = list.findIndex(isReplaced);
  return list.flatMap((other, index) => (index === at ? [one] : isReplaced(other) ? [] : [other]));
}

function changesBy<P extends ListField>(present: Bot, field: P, edit: ListEdit<P>): Changes {
  const before = listOf(present, field);
  const after = edit(before);
  return isSameValue(field, before, after) ? changesTo(present, {}) : changesTo(present, { [field]: after });
}

const nouns = { questions: 'question', actions: 'action', document_ids: 'document' } as const;

/**
 * Returns a list of a bot.
 * @throws Failure `rejected` if the service doesn't show it: nothing can be added to what nobody knows
 */
export function listOf<P extends ListField>(present: Bot, field: P): readonly Item<P>[] {
  const list = editableOf(present)[field];
  // What the service shows goes back to it as it is, so nothing more has to be known of it.
  if (Array.isArray(list)) return list as readonly Item<P>[];
  throw new Failure('rejected', `The service doesn't show the ${nouns[field]}s of ${present.label}.`, {
    hint: remark`So one can't change without the others. Give them all: ${command('bots', 'update', present.id)}`,
  });
}

/** Something in a list, with what a person may name it by. */
export interface NamedItem {
  /** Its place, from 1, as the list shows it. */
  readonly number: number;
  /** What it is called: the text of a question, the name of an action. */
  readonly label: string;
  /** Its id, if it has one. */
  readonly id?: string | undefined;
}

/** How messages call an item: `question`, and the command line that lists them. */
interface FindOptions extends Pick<Session, 'askWhich'> {
  readonly one: string;
  readonly list: CommandLine;
}

/**
 * Finds the item that a person names: by its exact label, its id, or its number. If there is none, or several, the
 * person chooses if one can be asked.
 * @throws Failure `usage` with the code `AMBIGUOUS` if several have the label, `notFound` if none has, and
 *   as `AskWhich`
 */
async function findItem<T extends NamedItem>(
  things: readonly T[],
  word: string,
  { one, list, askWhich }: FindOptions,
): Promise<T> {
  const named = things.filter(({ label, id }) =>
    isId(word) && id !== undefined ? id.toLowerCase() === word.toLowerCase() : label === word || id === word,
  );
  const exact = named.length > 0 ? named : things.filter(({ number }) => String(number) === word);
  const [found, ...others] = exact;
  if (found && others.length === 0) return found;
  const close = found ? exact : resembling(things, word, ({ label }) => label);
  const candidates = close.map((thing) => ({
    id: thing.id ?? String(thing.number),
    name: thing.label,
    mark: `number ${thing.number}`,
    thing,
  }));
  const chosen =
    close.length > 0 && (await askWhich({ isExact: found !== undefined, candidates, text: word, one }));
  if (chosen) return chosen.thing;
  if (found) {
    const numbers = exact.map(({ number, id }) => `  ${number}  ${id ?? found.label}`).join('\n');
    throw new Failure('usage', `"${word}" could be any of ${exact.length} ${one}s.`, {
      code: 'AMBIGUOUS',
      hint: `Give the number of the one you mean:\n${numbers}`,
    });
  }
  const [similar] = close;
  throw new Failure('notFound', `There is no ${one} "${word}".`, {
    hint: similar === undefined ? remark`See what there is: ${list}` : `Did you mean "${similar.label}"?`,
  });
}

/**
 * Returns the change that takes away from a bot the items that a person names.
 * @param items all that can be named
 * @param words what names each, as in `findItem`
 * @throws Failure as `findItem` and `listOf`
 */
export async function removal<P extends ListField>(
  { askWhich }: Pick<Session, 'askWhich'>,
  present: Bot,
  field: P,
  items: readonly (NamedItem & { readonly one: Item<P> })[],
  words: readonly string[],
): Promise<ListChange<P>> {
  const one = nouns[field];
  const choices = noteChoices(askWhich);
  const list = command('bots', `${one}s`, 'list', present.id);
  const options = { one, list, askWhich: choices.askWhich };
  const gone = await Promise.all(words.map((word) => findItem(items, word, options)));
  const labels = gone.map(({ label }) => label);
  return {
    present,
    field,
    edit: without(listOf(present, field), gone),
    hasChosen: choices.hasChosen(),
    did: () => `Removed ${quoted(one, labels)}`,
  };
}

/**
 * Takes things out of a list: by their place while the list is as it was shown, so that a twin stays, and
 * otherwise by what they are.
 */
function without<T>(
  shown: readonly T[],
  gone: readonly (NamedItem & { readonly one: T })[],
): (present: readonly T[]) => readonly T[] {
  return (present) =>
    isDeepStrictEqual(present, shown)
      ? present.filter((_, index) => gone.every(({ number }) => number !== index + 1))
      : present.filter((one) => gone.every((other) => !isDeepStrictEqual(one, other.one)));
}
