import type { Confirmation } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import type { AskWhich } from '../../lib/match-name.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import type { Changes } from '../../resources/bots/changes.ts';
import { readBotById } from '../../resources/bots/read-bot.ts';

/** Returns the question before a published bot is changed, or undefined if nothing has to be asked. */
export function unpublishing(present: Bot, { list }: Changes): Confirmation | undefined {
  if (!present.published || list.length === 0) return undefined;
  const hidden = list.filter(({ from }) => from === undefined).map(({ field }) => field);
  const always =
    hidden.length > 0
      ? ` The service doesn't show ${hidden.join(', ')}, so nobody can tell whether it changes.`
      : '';
  return {
    level: 'yes',
    question: `${present.label} is published. Changing it unpublishes it, and the API cannot publish it again.${always} Change it?`,
  };
}

/** An `askWhich` that notes whether a person chose something. */
export interface NotedChoices {
  readonly askWhich: AskWhich;
  hasChosen(): boolean;
}

/** Notes whether a person chooses something through `askWhich`. */
export function noteChoices(askWhich: AskWhich): NotedChoices {
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
 * Returns a bot as it is right before changes are sent: read again if a person took time to answer since it was
 * read, and else as it was read.
 * @param hasChosen whether a person chose what a name means since then
 */
export async function latestBot(
  { api, options, signal }: Pick<Session, 'api' | 'options' | 'signal'>,
  present: Bot,
  changes: Changes,
  hasChosen: boolean,
): Promise<Bot> {
  const hasConfirmed = !options.yes && unpublishing(present, changes) !== undefined;
  if (!hasChosen && !hasConfirmed) return present;
  return readBotById(api, present.id, signal);
}
