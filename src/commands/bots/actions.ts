import { isDeepStrictEqual } from 'node:util';
import { type Command, defineCommand, type Row } from '../../command.ts';
import { usageFailure } from '../../errors.ts';
import { argumentList, flag, manyOptions, someText } from '../../input/options.ts';
import { isObject } from '../../json-object.ts';
import { checkedBot } from './changes.ts';
import { botArgument, teamOption } from './named.ts';
import {
  changePart,
  choicesOf,
  confirmPart,
  named,
  type PartChange,
  partOf,
  removal,
  replaced,
} from './parts.ts';
import { type BotDetail, labelOf, readBot } from './read.ts';
import { writtenActions } from './written.ts';

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
  empty: { none: 'No actions. Add one: botctl bots actions add BOT' },
} as const;

function rowsOf(bot: BotDetail): readonly Row[] {
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
  async prepare({ api }, { bot: name, team, actions: given, replace }): Promise<PartChange<'actions'>> {
    const written = await writtenActions(given);
    const { actions = [] } = await checkedBot(written.values, written);
    const present = await readBot(api, name, { for: 'write', team });
    return {
      present,
      part: 'actions',
      revise(there) {
        let revised = there;
        for (const action of actions) {
          const others = revised.filter((one) => one.name === action.name);
          if (others.length === 0) revised = [...revised, action];
          else if (replace) revised = replaced(revised, action, (one) => one.name === action.name);
          else if (!others.some((one) => isDeepStrictEqual(one, action))) {
            throw alreadyNamed(present, action.name);
          }
        }
        return revised;
      },
      did: (before) => {
        const isThere = actions.some(({ name }) => before.some((one) => one.name === name));
        return `${isThere ? 'Set' : 'Added'} ${named(
          'action',
          actions.map((one) => one.name ?? ''),
        )}`;
      },
    };
  },
  confirm: confirmPart,
  run: async (session, _input, change) => rowsOf(await changePart(session, change)),
});

function alreadyNamed(present: BotDetail, name: string | undefined): Error {
  return usageFailure(
    [`${labelOf(present)} has another action named ${name}.`],
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
  async run({ api }, { bot: name, team }) {
    const present = await readBot(api, name, { for: 'read', team });
    partOf(present, 'actions');
    return rowsOf(present);
  },
});

/** The actions as the service shows them, with their ids. */
function shownActions({ actions }: BotDetail): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(actions) ? actions.map((action: unknown) => (isObject(action) ? action : {})) : [];
}

/** The actions of a bot, as a person may point at them. */
function pointedActions(bot: BotDetail) {
  const ids = shownActions(bot).map(({ id }) => (typeof id === 'string' ? id : undefined));
  return partOf(bot, 'actions').map((one, index) => ({
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
  async choicesFor({ api }, name, { bot, team }) {
    if (name !== 'action' || bot === undefined) return undefined;
    return choicesOf(pointedActions(await readBot(api, bot, { for: 'write', team })));
  },
  async prepare({ api }, { bot: name, team, action: words }) {
    const present = await readBot(api, name, { for: 'write', team });
    return removal(present, 'actions', pointedActions(present), words);
  },
  confirm: confirmPart,
  run: async (session, _input, change) => rowsOf(await changePart(session, change)),
});

/** The commands that change the HTTP actions of a bot, and nothing else of it. */
export const actionCommands: readonly Command[] = [add, list, remove];
