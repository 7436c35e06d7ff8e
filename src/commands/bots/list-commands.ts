import { type Command, type Confirmation, defineCommand, type Example } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import type { Argument } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import { findResembling } from '../../lib/match-name.ts';
import { command, type Remark, remark } from '../../lib/text/remark.ts';
import { didYouMean } from '../../lib/text/similar.ts';
import type { Fields, Row } from '../../output/fields.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import {
  changesBy,
  type ItemOf,
  type ListEdit,
  type ListField,
  listNouns,
  listOf,
  type NamedItem,
  removeItem,
} from '../../resources/bots/list-change.ts';
import { readBot } from '../../resources/bots/read-bot.ts';
import type { Choice } from '../../terminal/choice.ts';
import { noteChoices, sendConfirmed, unpublishQuestion } from './confirm-changes.ts';
import { botArgument, teamOption } from './options.ts';

/** One list of a bot, for all of its commands. */
export interface BotList<F extends ListField> {
  readonly field: F;
  readonly output: {
    readonly kind: 'list';
    readonly fields: Fields;
    readonly empty: { readonly none: Remark };
  };
  /** Returns the items of a bot in the order of `listOf`, each with its row. */
  itemsOf(session: Session, bot: Bot): Promise<readonly ListItem<F>[]>;
}

/** An item without its number, and its row for a table. */
interface ListItem<F extends ListField> extends Omit<NamedItem<F>, 'number'> {
  readonly row: Row;
}

/** A change of one list of a bot, as the list was when the bot was read. */
export interface ListChange<F extends ListField> {
  readonly bot: Bot;
  readonly edit: ListEdit<F>;
  /** True if the user chose what a name refers to after the bot was read. */
  readonly hasChosen?: boolean;
  /** A description of the change that is confirmed before an assistant makes it; undefined if no question is needed. */
  readonly statement?: string | undefined;
  /**
   * Returns a description of the change for the list before it. It is followed by "of bot X": `Added question "Pets?"`.
   */
  did(before: readonly ItemOf<F>[]): string;
}

/** Returns several names of one kind, quoted: `questions "A", "B"`. */
export function quoted(one: string, labels: readonly string[]): string {
  return `${one}${labels.length === 1 ? '' : 's'} ${labels.map((label) => JSON.stringify(label)).join(', ')}`;
}

/** Returns the common members of all commands that change a list. A command adds what creates its `ListChange`. */
export function changing<F extends ListField>(list: BotList<F>) {
  const { field, output } = list;
  return {
    needs: 'api',
    effect: 'changes',
    allow: ['unpublish'],
    output,
    confirm: async (
      { io }: Session,
      _input: unknown,
      { bot, edit, statement }: ListChange<F>,
    ): Promise<Confirmation | undefined> => {
      const usual = unpublishQuestion(bot, changesBy(bot, field, edit));
      if (!io.assistant || statement === undefined) return usual;
      const all = [statement, usual?.statement].filter(Boolean).join(' ');
      return { level: 'yes', question: 'Change it?', ...usual, statement: all };
    },
    idOf: ({ bot }: ListChange<F>): string => bot.id,
    async run(session: Session, _input: unknown, change: ListChange<F>): Promise<readonly Row[]> {
      const { bot, edit, hasChosen = false, did } = change;
      const changesOf = (latest: Bot) => changesBy(latest, field, edit);
      const didTo = (latest: Bot) => did(listOf(latest, field));
      return rowsOf(list, session, await sendConfirmed(session, bot, changesOf, hasChosen, didTo));
    },
  } as const;
}

async function rowsOf<F extends ListField>(
  { itemsOf }: BotList<F>,
  session: Session,
  bot: Bot,
): Promise<readonly Row[]> {
  return (await itemsOf(session, bot)).map(({ row }, index) => ({ number: index + 1, ...row }));
}

interface ListHelp {
  readonly summary: string;
  readonly example: Example;
}

/** The help of the command that removes, and the name of its argument in help. */
interface RemoveHelp {
  readonly summary: string;
  readonly description: string;
  readonly argument:
    | { readonly question: Argument<readonly string[]> }
    | { readonly action: Argument<readonly string[]> }
    | { readonly document: Argument<readonly string[]> };
  readonly examples: readonly Example[];
}

/** Declares the commands that list and remove items of a bot. */
export function listAndRemove<F extends ListField>(
  botList: BotList<F>,
  help: { readonly list: ListHelp; readonly remove: RemoveHelp },
): readonly Command[] {
  const { field, output } = botList;
  const one = listNouns[field];
  const itemsOf = async (session: Session, bot: Bot): Promise<readonly NamedItem<F>[]> =>
    (await botList.itemsOf(session, bot)).map((item, index) => ({ ...item, number: index + 1 }));

  const list = defineCommand({
    name: `${one}s list`,
    summary: help.list.summary,
    arguments: { bot: botArgument },
    options: { team: teamOption },
    examples: [help.list.example],
    needs: 'api',
    effect: 'reads',
    output,
    run: async (session, { bot, team }) => rowsOf(botList, session, await readBot(session, bot, team)),
  });

  const { argument, ...removeHelp } = help.remove;
  const remove = defineCommand({
    ...removeHelp,
    ...changing(botList),
    name: `${one}s remove`,
    arguments: { bot: botArgument, ...argument },
    options: { team: teamOption },
    async choicesFor(session, name, { bot, team }) {
      if (name === 'bot' || name === 'team' || bot === undefined) return undefined;
      return choicesOf(await itemsOf(session, await readBot(session, bot, team)));
    },
    async prepare(session, { bot: name, team, ...given }): Promise<ListChange<F>> {
      const bot = await readBot(session, name, team);
      const items = await itemsOf(session, bot);
      const { askWhich, hasChosen } = noteChoices(session.askWhich);
      const words = Object.values(given).flat();
      const gone = await Promise.all(words.map((word) => findItem(items, word, { one, bot, askWhich })));
      const labels = gone.map(({ label }) => label);
      return {
        bot,
        edit: removeItem(listOf(bot, field), gone),
        hasChosen: hasChosen(),
        did: () => `Removed ${quoted(one, labels)}`,
      };
    },
  });
  return [list, remove];
}

/** Returns the items that the user may choose to remove: by label, or by number if several have the same label. */
function choicesOf(items: readonly NamedItem<ListField>[]): readonly Choice<string>[] {
  return items.map(({ number, label, id }) => {
    const isTwin = items.some((other) => other.number !== number && other.label === label);
    return { name: label, value: id ?? (isTwin || label === '' ? String(number) : label) };
  });
}

/** The word for an item in messages, and the bot that has the list. */
interface FindOptions extends Pick<Session, 'askWhich'> {
  readonly one: string;
  readonly bot: Bot;
}

/**
 * Finds the item that the user named: by its exact label, its id, or its number. If none or several match, asks the
 * user to choose if possible.
 * @throws Failure `ambiguous` if several have the label, `notFound` if none has, and as `AskWhich`
 */
async function findItem<F extends ListField>(
  items: readonly NamedItem<F>[],
  word: string,
  { one: noun, bot, askWhich }: FindOptions,
): Promise<NamedItem<F>> {
  const named = items.filter(({ label, id }) =>
    isId(word) && id !== undefined ? isSameId(id, word) : label === word || id === word,
  );
  // A word may be the text of one item and the number of another.
  const exact = items.filter((item) => named.includes(item) || String(item.number) === word);
  const [found, ...others] = exact;
  if (found && others.length === 0) return found;
  const close = found ? exact : findResembling(items, word, ({ label }) => label);
  const candidates = close.map((item) => ({
    id: item.id ?? String(item.number),
    name: item.label,
    marks: [`number ${item.number}`],
    item,
  }));
  const chosen =
    close.length > 0 && (await askWhich({ isExact: found !== undefined, candidates, text: word, noun }));
  if (chosen) return chosen.item;
  const list = command('bots', `${noun}s`, 'list', bot.id);
  if (found) {
    const numbers = exact.map(({ number, id, label }) => `  ${number}  ${id ?? label}`).join('\n');
    throw new Failure('ambiguous', `"${word}" could be any of ${exact.length} ${noun}s.`, {
      hint: `Give the number of the one you mean${named.length === exact.length ? '' : ', or its text'}:\n${numbers}`,
      next: [list],
    });
  }
  const [similar] = close;
  throw new Failure('notFound', `No ${noun} "${word}" found.`, {
    hint: similar === undefined ? remark`See the list: ${list}` : didYouMean(`"${similar.label}"`),
    next: similar === undefined ? [] : [list],
  });
}
