import type { YesNo } from '../../cli/command.ts';
import { isPreconfirmed } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { renameQuestion } from '../../cli/namesake-questions.ts';
import type { AskWhich } from '../../lib/match-name.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { type Changes, checkUnpublished, sendChanges } from '../../resources/bots/changes.ts';
import { readBotById } from '../../resources/bots/read-bot.ts';

/** Returns the question before a change of a bot that is or may be published; undefined if no question is needed. */
export function unpublishQuestion(bot: Bot, { list }: Changes): YesNo | undefined {
  if (bot.published === false || list.length === 0) return undefined;
  const { label, published } = bot;
  const publication = published
    ? `${label} is published.`
    : `The service doesn't show whether ${label} is published, so it may be.`;
  const hidden = list.filter(({ from }) => from === undefined).map(({ field }) => field);
  const always = hidden.length > 0 ? ` The service doesn't show ${hidden.join(', ')}, so it may change.` : '';
  return {
    level: 'yes',
    allow: 'unpublish',
    statement: `${publication} Changing it unpublishes it, and the API cannot publish it again.${always}`,
    question: 'Change it?',
  };
}

/**
 * Returns the questions before changes of a bot are sent: whether it may be unpublished, and whether its new name may
 * be used twice.
 */
export async function confirmChanges(
  session: Session,
  bot: Bot,
  changes: Changes,
): Promise<YesNo | undefined> {
  const unpublished = unpublishQuestion(bot, changes);
  const name = changes.list.find(({ field }) => field === 'name')?.to;
  const renamed =
    typeof name === 'string'
      ? await renameQuestion(session, { noun: 'bot', name, teamId: bot.teamId }, bot.id)
      : undefined;
  if (!unpublished || isPreconfirmed('unpublish', session)) return renamed;
  return renamed
    ? { ...unpublished, statement: `${renamed.statement} ${unpublished.statement}` }
    : unpublished;
}

/** Returns an `askWhich` and a function that returns whether the user has chosen something with it. */
export function noteChoices(askWhich: AskWhich): { readonly askWhich: AskWhich; hasChosen(): boolean } {
  let chosen = false;
  return {
    askWhich: async (question) => {
      const choice = await askWhich(question);
      chosen ||= choice !== undefined;
      return choice;
    },
    hasChosen: () => chosen,
  };
}

/**
 * Sends changes that the user has confirmed. If the confirmation took time, the bot is read again first, so that
 * changes by other users in the meantime are respected. Returns the bot after the change.
 * @param bot as it was read before the question
 * @param changesOf returns the changes for the bot as it is right before they are sent
 * @param hasChosen true if the user has chosen what a name refers to since the bot was read
 * @param did returns a description of the changes that is followed by "of bot X"
 * @throws Failure `rejected` if the bot was published in the meantime
 */
export async function sendConfirmed(
  session: Session,
  bot: Bot,
  changesOf: (latest: Bot) => Changes,
  hasChosen: boolean,
  did?: (latest: Bot) => string,
): Promise<Bot> {
  const { api } = session;
  const isAllowed = isPreconfirmed('unpublish', session);
  const hasConfirmed = !isAllowed && unpublishQuestion(bot, changesOf(bot)) !== undefined;
  const latest = hasChosen || hasConfirmed ? await readBotById(api, bot.id) : bot;
  const changes = changesOf(latest);
  if (changes.list.length > 0) checkUnpublished(bot, latest, isAllowed);
  return sendChanges(session, latest, changes, did?.(latest));
}
