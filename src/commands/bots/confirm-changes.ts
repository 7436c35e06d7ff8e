import type { YesNo } from '../../cli/command.ts';
import { isPreconfirmed } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { renameQuestion } from '../../cli/namesake-questions.ts';
import type { AskWhich } from '../../lib/match-name.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { type Changes, checkUnpublished, sendChanges } from '../../resources/bots/changes.ts';
import { readBotById } from '../../resources/bots/read-bot.ts';

/** Returns the question before a bot is changed that is or may be published, or undefined if nothing has to be asked. */
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

/** Returns what to ask before changes of a bot are sent: whether it may be unpublished, and whether its new name is used twice. */
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

/** Returns an `askWhich`, and whether a person has chosen something through it. */
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
 * Sends what a person has agreed to. If that took the person time, the bot is read again first, so that what
 * another user changed in the meantime counts. Returns the bot after the change.
 * @param bot as it was read before the person was asked
 * @param changesOf returns the changes of the bot as it is right before they are sent
 * @param hasChosen true if a person chose what a name means since the bot was read
 * @param did says what the changes did, in words that "of bot X" completes
 * @throws Failure `rejected` if the bot was published meanwhile
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
