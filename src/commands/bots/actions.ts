import { isDeepStrictEqual } from 'node:util';
import { type Command, defineCommand } from '../../cli/command.ts';
import { argumentList, flag, manyOptions } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { isObject } from '../../lib/json-object.ts';
import { someText } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { readBotInput } from '../../resources/bots/bot-input.ts';
import { checkBotInput } from '../../resources/bots/changes.ts';
import { readBot } from '../../resources/bots/read-bot.ts';
import {
  choicesOf,
  confirmListChange,
  type ListChange,
  listOf,
  quoted,
  removal,
  replaced,
  sendListChange,
} from './list-fields.ts';
import { botArgument, teamOption } from './named.ts';

const actionList = {
  kind: 'list',
  fields: [
    { name: 'number', kind: 'number', importance: 6 },
    { name: 'id', kind: 'id', importance: 3 },
    { name: 'name', importance: 9 },
    { name: 'method', importance: 8 },
    { name: 'endpoint', importance: 7 },
    { name: 'description', importance: 4 },
    { name: 'headers', detail: true },
    { name: 'body', detail: true },
  ],
  empty: { none: remark`No actions. Add one: ${command('bots', 'actions', 'add', placeholder('BOT'))}` },
} as const;

function rowsOf(bot: Bot): readonly Row[] {
  return shownActions(bot).map((action, index) => ({ number: index + 1, ...action }));
}

const add = defineCommand({
  name: 'actions add',
  summary: 'Give a bot one HTTP action more',
  description:
    'The other actions stay. One that the bot has already is not sent again. An action needs name, endpoint ' +
    'and method (GET, POST, PUT, DELETE); description, headers and body may be left out.',
  arguments: { bot: botArgument },
  options: {
    actions: {
      ...manyOptions('--action <json>', 'the action, as JSON; @FILE reads a file', someText),
      required: true,
    },
    replace: flag('--replace', 'put it in the place of one with the same name'),
    team: teamOption,
  },
  examples: [
    {
      line: `botctl bots actions add "Night desk" --action '{"name":"book","endpoint":"https://aurora.example","method":"POST"}'`,
      does: 'Give it an action',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: actionList,
  async prepare(session, { bot: name, team, actions: given, replace }): Promise<ListChange<'actions'>> {
    const { actions = [] } = await checkBotInput(await readBotInput(session.io, { actions: given }));
    const present = await readBot(session, name, team);
    return {
      present,
      field: 'actions',
      hasChosen: false,
      edit(there) {
        let actionsNow = there;
        for (const action of actions) {
          const others = actionsNow.filter((one) => one.name === action.name);
          if (others.length === 0) actionsNow = [...actionsNow, action];
          else if (replace) actionsNow = replaced(actionsNow, action, (one) => one.name === action.name);
          else if (!others.some((one) => isDeepStrictEqual(one, action))) {
            throw alreadyNamed(present, action.name);
          }
        }
        return actionsNow;
      },
      did: (before) => {
        const isThere = actions.some(({ name }) => before.some((one) => one.name === name));
        return `${isThere ? 'Set' : 'Added'} ${quoted(
          'action',
          actions.map((one) => one.name ?? ''),
        )}`;
      },
    };
  },
  confirm: confirmListChange,
  run: async (session, _input, change) => rowsOf(await sendListChange(session, change)),
});

function alreadyNamed(present: Bot, name: string | undefined): Error {
  return usageFailure(
    [`${present.label} has another action named ${name}.`],
    'Add --replace to put this one in its place, or give it another name.',
  );
}

const list = defineCommand({
  name: 'actions list',
  summary: 'List the HTTP actions of a bot',
  arguments: { bot: botArgument },
  options: { team: teamOption },
  examples: [{ line: 'botctl bots actions list "Front desk"', does: 'List actions, numbered' }],
  needs: 'session',
  effect: 'reads',
  output: actionList,
  async run(session, { bot: name, team }) {
    const present = await readBot(session, name, team);
    listOf(present, 'actions');
    return rowsOf(present);
  },
});

/** The actions as the service shows them, with their ids. */
function shownActions({ raw: { actions } }: Bot): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(actions) ? actions.map((action: unknown) => (isObject(action) ? action : {})) : [];
}

/** Returns the actions of a bot, with what a person may name each by. */
function namedActions(bot: Bot) {
  const ids = shownActions(bot).map(({ id }) => (typeof id === 'string' ? id : undefined));
  return listOf(bot, 'actions').map((one, index) => ({
    number: index + 1,
    label: one.name ?? '',
    id: ids[index],
    one,
  }));
}

const remove = defineCommand({
  name: 'actions remove',
  summary: 'Take HTTP actions away from a bot',
  description: 'Each is given by its name or id, or by its number as actions list shows it.',
  arguments: { bot: botArgument, action: argumentList('an action, by name, id or number', someText) },
  options: { team: teamOption },
  examples: [{ line: 'botctl bots actions remove "Night desk" 1', does: 'Take the first action away' }],
  needs: 'session',
  effect: 'changes',
  output: actionList,
  async choicesFor(session, name, { bot, team }) {
    if (name !== 'action' || bot === undefined) return undefined;
    return choicesOf(namedActions(await readBot(session, bot, team)));
  },
  async prepare(session, { bot: name, team, action: words }) {
    const present = await readBot(session, name, team);
    return removal(session, present, 'actions', namedActions(present), words);
  },
  confirm: confirmListChange,
  run: async (session, _input, change) => rowsOf(await sendListChange(session, change)),
});

/** The commands that change the HTTP actions of a bot, and nothing else of it. */
export const actionCommands: readonly Command[] = [add, list, remove];
