import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { Bot } from './bot.ts';
import { type Changes, changesTo } from './changes.ts';
import { editableOf, isSameValue } from './editable.ts';
import type { BotFields } from './model.ts';

/** The lists of a bot, which the API replaces only as a whole, and what one thing in each is called. */
export const listNouns = { questions: 'question', actions: 'action', document_ids: 'document' } as const;

/** A field that holds such a list. */
export type ListField = keyof typeof listNouns;

/** One thing in such a list. */
export type ItemOf<F extends ListField> = NonNullable<BotFields[F]>[number];

/** Returns a list as it shall be, from what it is. Throws a Failure if that can't be. */
export type ListEdit<F extends ListField> = (items: readonly ItemOf<F>[]) => readonly ItemOf<F>[];

/** Something in a list, with what a person may name it by. */
export interface NamedItem<F extends ListField> {
  /** Its place, from 1, as the list shows it. */
  readonly number: number;
  /** Its name in a sentence: the text of a question, the name of an action. */
  readonly label: string;
  /** Its id, if it has one. */
  readonly id?: string | undefined;
  readonly value: ItemOf<F>;
}

/**
 * Returns a list of a bot.
 * @throws Failure `rejected` if the service doesn't show it: an unknown list can't be added to
 */
export function listOf<F extends ListField>(bot: Bot, field: F): readonly ItemOf<F>[] {
  const list = editableOf(bot)[field];
  // What the service shows goes back to it as it is, so nothing more has to be known of it.
  if (Array.isArray(list)) return list as readonly ItemOf<F>[];
  throw new Failure('rejected', `The service doesn't show the ${listNouns[field]}s of ${bot.label}.`, {
    hint: remark`To change one of them, give them all: ${command('bots', 'update', bot.id)}`,
  });
}

/** Returns the changes that an edit of one list makes: none if the list stays the same. */
export function changesBy<F extends ListField>(bot: Bot, field: F, edit: ListEdit<F>): Changes {
  const before = listOf(bot, field);
  const after = edit(before);
  return changesTo(bot, isSameValue(field, before, after) ? {} : { [field]: after });
}

/** Returns the list with one in the place of those that it replaces: of several, one is left. */
export function replaceItem<T>(list: readonly T[], one: T, isReplaced: (other: T) => boolean): readonly T[] {
  const at = list.findIndex(isReplaced);
  return list.flatMap((other, index) => (index === at ? [one] : isReplaced(other) ? [] : [other]));
}

/**
 * Returns the edit that takes items away: by their place while the list is as it was shown, so that a twin stays,
 * and otherwise by what they are.
 */
export function removeItem<F extends ListField>(
  shown: readonly ItemOf<F>[],
  gone: readonly NamedItem<F>[],
): ListEdit<F> {
  return (items) =>
    isDeepStrictEqual(items, shown)
      ? items.filter((_, index) => gone.every(({ number }) => number !== index + 1))
      : items.filter((item) => gone.every(({ value }) => !isDeepStrictEqual(item, value)));
}
