import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { Bot } from './bot.ts';
import { type Changes, changesTo } from './changes.ts';
import { editableOf, isSameValue } from './editable.ts';
import type { BotFields } from './model.ts';

/** The lists of a bot, which the API replaces only as a whole, with the noun for an item. */
export const listNouns = { questions: 'question', actions: 'action', document_ids: 'document' } as const;

/** A field with such a list. */
export type ListField = keyof typeof listNouns;

/** An item of such a list. */
export type ItemOf<F extends ListField> = NonNullable<BotFields[F]>[number];

/** Returns the edited list. Throws a Failure if the edit is impossible. */
export type ListEdit<F extends ListField> = (items: readonly ItemOf<F>[]) => readonly ItemOf<F>[];

/** An item of a list, with the words by which a user may name it. */
export interface NamedItem<F extends ListField> {
  /** Its number in the displayed list, from 1. */
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
  // The items of the service are sent back unchanged, so they need no validation.
  if (Array.isArray(list)) return list as readonly ItemOf<F>[];
  throw new Failure('rejected', `The service doesn't show the ${listNouns[field]}s of ${bot.label}.`, {
    hint: remark`To change one of them, give them all: ${command('bots', 'update', bot.id)}`,
  });
}

/** Returns the changes of an edit of one list: none if the list is unchanged. */
export function changesBy<F extends ListField>(bot: Bot, field: F, edit: ListEdit<F>): Changes {
  const before = listOf(bot, field);
  const after = edit(before);
  return changesTo(bot, isSameValue(field, before, after) ? {} : { [field]: after });
}

/** Returns the list with one item in place of those that it replaces: one remains of several. */
export function replaceItem<T>(list: readonly T[], one: T, isReplaced: (other: T) => boolean): readonly T[] {
  const at = list.findIndex(isReplaced);
  return list.flatMap((other, index) => (index === at ? [one] : isReplaced(other) ? [] : [other]));
}

/**
 * Returns the edit that removes items: by their number while the list is as displayed, so that an equal item stays,
 * and otherwise by value.
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
